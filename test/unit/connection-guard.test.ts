import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import { mock } from 'node:test';
import { type ConnectionLimits, guardConnections } from '../../server/http/connection-guard.ts';
import { createLog } from '../../server/log.ts';

/** Connections are looked at every tenth of the shortest time. */
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
  /** A connection, as far as the guard looks at one. */
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
  /** A request on it; `handled` tells whether it had its turn. */
  function ask(socket: FakeSocket, complete = true) {
    const req = { socket, complete } as unknown as IncomingMessage;
    const res = Object.assign(new EventEmitter(), { req });
    const asked = { handled: false, res, response: () => void res.emit('close') };
    guard.inTurn(req, res as unknown as ServerResponse, () => {
      asked.handled = true;
    });
    return asked;
  }
  const why = (): unknown[] => lines.map((line) => JSON.parse(line).why);
  /** @param ms how long it stays open, and not a tick longer */
  function endsAfter(socket: FakeSocket, ms: number): void {
    mock.timers.tick(ms - TICK_MS);
    assert.equal(socket.destroyed, false);
    mock.timers.tick(TICK_MS);
    assert.equal(socket.destroyed, true);
  }
  /** One for which 50 bytes wait to be read. */
  function unread(): FakeSocket {
    const socket = connected();
    socket.writableLength = 50;
    socket.bytesWritten = 50;
    return socket;
  }

  describe('ends one', () => {
    it('that reads too little of its available data in the given time', () => {
      const socket = unread();
      mock.timers.tick(500);
      socket.bytesWritten += 99;
      endsAfter(socket, 500);
      assert.deepEqual(why(), ['response is read too slowly']);
    });

    it('that does not send the rest of a request after the response', () => {
      const socket = connected();
      ask(socket, false).response();
      endsAfter(socket, 2_000);
      assert.deepEqual(why(), ['request is not sent completely']);
    });

    it('that sends no further request, counted from the last response', () => {
      const socket = connected();
      ask(socket).response();
      mock.timers.tick(3_000);
      ask(socket).response();
      // Not before the announced time is over: its requests may come until then.
      endsAfter(socket, 4_000 + TICK_MS);
      assert.deepEqual(why(), ['idle']);
    });

    it('whose next request never gets beyond blank lines or the beginning of its head', () => {
      const socket = connected();
      ask(socket).response();
      socket.bytesRead += 2;
      endsAfter(socket, 5_000 + TICK_MS);
    });
  });

  it('ignores one before its first request, while a response is being sent, and when it has read everything', () => {
    const [fresh, answering, read] = [connected(), connected(), unread()];
    ask(answering, false);
    mock.timers.tick(900);
    read.writableLength = 0;
    mock.timers.tick(60_000);
    assert.deepEqual(
      [fresh, answering, read].map(({ destroyed }) => destroyed),
      [false, false, false],
    );
    read.emit('error', new Error('reset'));
  });

  describe('of requests sent ahead', () => {
    it('handles each after the responses to those before it', () => {
      const socket = connected();
      const [first, second, third] = [ask(socket), ask(socket), ask(socket)];
      const handled = () => [first, second, third].map((one) => one.handled);
      assert.deepEqual(handled(), [true, false, false]);
      assert.equal(guard.latestResponse(socket), first.res);
      first.response();
      assert.deepEqual(handled(), [true, true, false]);
      assert.equal(guard.latestResponse(socket), second.res);
      second.response();
      assert.deepEqual(handled(), [true, true, true]);
      third.response();
      assert.equal(ask(socket).handled, true);
    });

    it('stops reading at the limit, even if resumed, and continues below it', () => {
      const socket = connected();
      const first = ask(socket);
      const second = ask(socket);
      assert.equal(socket.paused, false);
      ask(socket);
      assert.equal(socket.paused, true);
      socket.resume();
      assert.equal(socket.paused, true, 'whoever reads a body resumes its connection');
      // One read may have held more than that.
      const fourth = ask(socket);
      first.response();
      assert.equal(socket.paused, true);
      assert.equal(fourth.handled, false);
      second.response();
      assert.equal(socket.paused, false);
    });

    it('ends the connection that exceeds the limit of all connections, and drops its waiting requests', () => {
      const [one, other] = [connected(), connected()];
      for (let index = 0; index < 3; index += 1) {
        ask(one);
        ask(other);
      }
      const last = ask(other);
      assert.equal(other.destroyed, false, 'five wait');
      ask(one);
      assert.equal(one.destroyed, true);
      assert.deepEqual(why(), ['too many requests at once']);
      // Those of the first are gone: the other's three wait, and two more may.
      const third = connected();
      for (let index = 0; index < 3; index += 1) ask(third);
      assert.equal(third.destroyed, false);
      assert.equal(last.handled, false);
    });
  });
});
