import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import { mock } from 'node:test';
import { type ConnectionLimits, guardConnections } from '../../server/http/connection-guard.ts';
import { createLog } from '../../server/log.ts';

/** Connections are examined every tenth of the shortest timeout. */
const TICK_MS = 100;
const LIMITS: ConnectionLimits = {
  unanswered: 3,
  unansweredInAll: 5,
  paceBytes: 100,
  paceMs: 1_000,
  restMs: 2_000,
  idleMs: 4_000,
  headMs: 1_000,
};

describe('the guard of a server’s connections', () => {
  /** The members of a connection that the guard uses. */
  class FakeSocket extends EventEmitter {
    bytesRead = 0;
    bytesWritten = 0;
    writableLength = 0;
    remoteAddress = '192.0.2.7';
    paused = false;
    destroyed = false;

    pause(): void {
      this.paused = true;
    }
    resume(): void {
      this.paused = false;
      this.emit('resume');
    }
    destroy(): void {
      this.destroyed = true;
      this.emit('close');
    }
  }

  let server: EventEmitter;
  let lines: string[];
  let guard: ReturnType<typeof guardConnections>;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
    server = new EventEmitter();
    lines = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    guard = guardConnections(server as unknown as Server, { log, limits: LIMITS });
  });
  afterEach(() => {
    server.emit('close');
    mock.timers.reset();
  });

  function connected(): FakeSocket {
    const socket = new FakeSocket();
    server.emit('connection', socket);
    return socket;
  }
  /** Sends a request on the connection. `handled` is set when its turn comes. */
  function request(socket: FakeSocket, complete = true) {
    const req = { socket, complete } as unknown as IncomingMessage;
    const res = Object.assign(new EventEmitter(), { req });
    const state = { handled: false, res, respond: () => void res.emit('close') };
    guard.inTurn(req, res as unknown as ServerResponse, () => {
      state.handled = true;
    });
    return state;
  }
  const reasons = (): unknown[] => lines.map((line) => JSON.parse(line).why);
  /** @param ms the time after which the connection must end, and not a tick earlier */
  function endsAfter(socket: FakeSocket, ms: number): void {
    mock.timers.tick(ms - TICK_MS);
    assert.equal(socket.destroyed, false);
    mock.timers.tick(TICK_MS);
    assert.equal(socket.destroyed, true);
  }
  /** A connection with 50 bytes that its client has not read. */
  function unread(): FakeSocket {
    const socket = connected();
    socket.writableLength = 50;
    socket.bytesWritten = 50;
    return socket;
  }

  describe('ends a connection', () => {
    it('whose client reads too little of the available data in time', () => {
      const socket = unread();
      mock.timers.tick(500);
      socket.bytesWritten += 99;
      endsAfter(socket, 500);
      assert.deepEqual(reasons(), ['response is read too slowly']);
    });

    it('whose client does not send the rest of its request in time after the response', () => {
      const socket = connected();
      request(socket, false).respond();
      endsAfter(socket, 2_000);
      assert.deepEqual(reasons(), ['request is not sent completely']);
    });

    it('whose client sends no further request in time after the last response', () => {
      const socket = connected();
      request(socket).respond();
      mock.timers.tick(3_000);
      request(socket).respond();
      // A request may still arrive within the announced four seconds.
      endsAfter(socket, 4_000 + TICK_MS);
      assert.deepEqual(reasons(), ['idle']);
    });

    it('whose client sends only blank lines or a part of the head as its next request', () => {
      const socket = connected();
      request(socket).respond();
      socket.bytesRead += 2;
      endsAfter(socket, 5_000 + TICK_MS);
    });
  });

  it('leaves a connection open before its first request, during a response, and once its client has read all data', () => {
    const [unused, responding, read] = [connected(), connected(), unread()];
    request(responding, false);
    mock.timers.tick(900);
    read.writableLength = 0;
    mock.timers.tick(60_000);
    const destroyed = [unused, responding, read].map((socket) => socket.destroyed);
    assert.deepEqual(destroyed, [false, false, false]);
    read.emit('error', new Error('reset'));
  });

  describe('with pipelined requests', () => {
    it('handles each request only after the responses to all earlier ones', () => {
      const socket = connected();
      const [first, second, third] = [request(socket), request(socket), request(socket)];
      const handled = () => [first, second, third].map((state) => state.handled);
      assert.deepEqual(handled(), [true, false, false]);
      assert.equal(guard.latestResponse(socket), first.res);
      first.respond();
      assert.deepEqual(handled(), [true, true, false]);
      assert.equal(guard.latestResponse(socket), second.res);
      second.respond();
      assert.deepEqual(handled(), [true, true, true]);
      third.respond();
      assert.equal(request(socket).handled, true);
    });

    it('pauses the connection at its limit, even if it is resumed, and resumes it below the limit', () => {
      const socket = connected();
      const first = request(socket);
      const second = request(socket);
      assert.equal(socket.paused, false);
      request(socket);
      assert.equal(socket.paused, true);
      socket.resume();
      assert.equal(socket.paused, true, 'reading a body resumes its connection');
      // One read may contain more requests than the limit.
      const fourth = request(socket);
      first.respond();
      assert.equal(socket.paused, true);
      assert.equal(fourth.handled, false);
      second.respond();
      assert.equal(socket.paused, false);
    });

    it('ends the connection that exceeds the total limit, and drops its waiting requests', () => {
      const [first, second] = [connected(), connected()];
      for (let index = 0; index < 3; index += 1) {
        request(first);
        request(second);
      }
      const last = request(second);
      assert.equal(second.destroyed, false, 'five requests wait');
      request(first);
      assert.equal(first.destroyed, true);
      assert.deepEqual(reasons(), ['too many requests at once']);
      // Three requests of the second connection still wait, so two more may.
      const third = connected();
      for (let index = 0; index < 3; index += 1) request(third);
      assert.equal(third.destroyed, false);
      assert.equal(last.handled, false);
    });
  });
});
