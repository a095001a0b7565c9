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
  /** A request on it; `handled` once it had its turn. */
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
  /** @param ms the time for which it stays open, and not a tick longer */
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
    it('that reads too little of the available data in its time', () => {
      const socket = unread();
      mock.timers.tick(500);
      socket.bytesWritten += 99;
      endsAfter(socket, 500);
      assert.deepEqual(reasons(), ['response is read too slowly']);
    });

    it('that does not send the rest of its request after the response', () => {
      const socket = connected();
      request(socket, false).respond();
      endsAfter(socket, 2_000);
      assert.deepEqual(reasons(), ['request is not sent completely']);
    });

    it('that sends no further request in its time, counted from the last response', () => {
      const socket = connected();
      request(socket).respond();
      mock.timers.tick(3_000);
      request(socket).respond();
      // Until then, as announced, a request may come.
      endsAfter(socket, 4_000 + TICK_MS);
      assert.deepEqual(reasons(), ['idle']);
    });

    it('whose next request stops at blank lines or within its head', () => {
      const socket = connected();
      request(socket).respond();
      socket.bytesRead += 2;
      endsAfter(socket, 5_000 + TICK_MS);
    });
  });

  it('ignores a connection before its first request, during a response, and once all data is read', () => {
    const [unused, responding, read] = [connected(), connected(), unread()];
    request(responding, false);
    mock.timers.tick(900);
    read.writableLength = 0;
    mock.timers.tick(60_000);
    assert.deepEqual(
      [unused, responding, read].map(({ destroyed }) => destroyed),
      [false, false, false],
    );
    read.emit('error', new Error('reset'));
  });

  describe('with pipelined requests', () => {
    it('handles each request after the responses to those before it', () => {
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

    it('pauses the connection at the limit, even if it is resumed, and resumes it below', () => {
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

    it('ends the connection that exceeds the limit of all together, and drops its waiting requests', () => {
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
      // Of the second, three requests wait, so that two more may.
      const third = connected();
      for (let index = 0; index < 3; index += 1) request(third);
      assert.equal(third.destroyed, false);
      assert.equal(last.handled, false);
    });
  });
});
