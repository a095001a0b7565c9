import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import { type ConnectionLimits, guardConnections } from '../../server/http/connection-guard.ts';
import { createLog } from '../../server/log/log.ts';

/** One tick is a tenth of the shortest time: times are counted in looks at a connection, not in milliseconds. */
const LIMITS: ConnectionLimits = {
  unanswered: 3,
  unansweredInAll: 5,
  paceBytes: 100,
  paceMs: 10,
  restMs: 20,
  idleMs: 40,
};

describe('the guard of a server’s connections', () => {
  /** A connection, as far as the guard looks at one. It counts how often. */
  class FakeSocket extends EventEmitter {
    looks = 0;
    written = 0;
    writableLength = 0;
    remoteAddress = '192.0.2.7';
    paused = false;
    endedAt: number | undefined;
    /** What happens at which look. */
    at: Record<number, () => void> = {};

    get bytesWritten(): number {
      this.looks += 1;
      this.at[this.looks]?.();
      return this.written;
    }
    pause(): void {
      this.paused = true;
    }
    resume(): void {
      this.paused = false;
      this.emit('resume');
    }
    destroy(): void {
      this.endedAt ??= this.looks;
      this.emit('close');
    }
  }

  let server: EventEmitter;
  let lines: string[];
  let guard: ReturnType<typeof guardConnections>;

  beforeEach(() => {
    server = new EventEmitter();
    lines = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    guard = guardConnections(server as unknown as Server, { log, limits: LIMITS });
  });
  afterEach(() => void server.emit('close'));

  function connected(): FakeSocket {
    const socket = new FakeSocket();
    server.emit('connection', socket);
    return socket;
  }
  /** A request on it; `handled` tells whether it had its turn. */
  function ask(socket: FakeSocket, complete = true) {
    const req = { socket, complete } as unknown as IncomingMessage;
    const res = Object.assign(new EventEmitter(), { req });
    const asked = { handled: false, res, answer: () => void res.emit('close') };
    guard.inTurn(req, res as unknown as ServerResponse, () => {
      asked.handled = true;
    });
    return asked;
  }
  const looked = async (socket: FakeSocket, times: number): Promise<void> => {
    const until = socket.looks + times;
    while (socket.looks < until && socket.endedAt === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const why = (): unknown[] => lines.map((line) => JSON.parse(line).why);

  describe('ends one', () => {
    it('that reads too little of its available data in the given time', async () => {
      const socket = connected();
      socket.writableLength = 50;
      socket.written = 50;
      socket.at[5] = () => {
        socket.written += 99;
      };
      await looked(socket, 30);
      assert.equal(socket.endedAt, 10);
      assert.deepEqual(why(), ['response is read too slowly']);
    });

    it('that has read enough once, but then stops', async () => {
      const socket = connected();
      socket.writableLength = 50;
      socket.written = 50;
      socket.at[5] = () => {
        socket.written += 100;
      };
      await looked(socket, 30);
      assert.equal(socket.endedAt, 15);
    });

    it('whose bytes only fill its buffer', async () => {
      const socket = connected();
      socket.writableLength = 50;
      socket.written = 50;
      socket.at[5] = () => {
        socket.written += 1_000;
        socket.writableLength += 1_000;
      };
      await looked(socket, 30);
      assert.equal(socket.endedAt, 10);
    });

    it('that does not send the rest of a request which was answered', async () => {
      const socket = connected();
      ask(socket, false).answer();
      await looked(socket, 60);
      assert.equal(socket.endedAt, 20);
      assert.deepEqual(why(), ['request is not sent completely']);
    });

    it('that sends no further request', async () => {
      const socket = connected();
      ask(socket).answer();
      await looked(socket, 60);
      assert.equal(socket.endedAt, 40);
      assert.deepEqual(why(), ['idle']);
    });
  });

  describe('leaves one alone', () => {
    it('before its first request: the server has a time for headers', async () => {
      const socket = connected();
      await looked(socket, 60);
      assert.equal(socket.endedAt, undefined);
    });

    it('whose answer is under way, and counts from zero after each', async () => {
      const socket = connected();
      const slow = ask(socket, false);
      await looked(socket, 60);
      assert.equal(socket.endedAt, undefined);
      slow.answer();
      await looked(socket, 10);
      const next = ask(socket);
      next.answer();
      const from = socket.looks;
      await looked(socket, 60);
      assert.equal((socket.endedAt ?? 0) - from, 40);
    });

    it('that has taken all there was', async () => {
      const socket = connected();
      socket.writableLength = 50;
      socket.at[9] = () => {
        socket.writableLength = 0;
      };
      await looked(socket, 30);
      assert.equal(socket.endedAt, undefined);
      socket.emit('error', new Error('reset'));
    });
  });

  describe('of requests sent ahead', () => {
    it('hands each on when those before it are answered', () => {
      const socket = connected();
      const [first, second, third] = [ask(socket), ask(socket), ask(socket)];
      const handled = () => [first, second, third].map((one) => one.handled);
      assert.deepEqual(handled(), [true, false, false]);
      assert.equal(guard.latestAnswer(socket), first.res);
      first.answer();
      assert.deepEqual(handled(), [true, true, false]);
      assert.equal(guard.latestAnswer(socket), second.res);
      second.answer();
      assert.deepEqual(handled(), [true, true, true]);
      third.answer();
      assert.equal(ask(socket).handled, true);
    });

    it('stops reading at the limit, even if resumed, and continues below it', () => {
      const socket = connected();
      const first = ask(socket);
      ask(socket);
      assert.equal(socket.paused, false);
      ask(socket);
      assert.equal(socket.paused, true);
      socket.resume();
      assert.equal(socket.paused, true, 'whoever reads a body resumes its connection');
      // One read may have held more than that.
      const fourth = ask(socket);
      first.answer();
      assert.equal(socket.paused, true);
      assert.equal(fourth.handled, false);
    });

    it('goes on reading once fewer wait', () => {
      const socket = connected();
      const first = ask(socket);
      ask(socket);
      ask(socket);
      assert.equal(socket.paused, true);
      first.answer();
      assert.equal(socket.paused, false);
      socket.pause();
      socket.resume();
      assert.equal(socket.paused, false);
    });

    it('ends the connection that brings too many in all, and forgets those that waited on it', () => {
      const [one, other] = [connected(), connected()];
      for (let index = 0; index < 3; index += 1) {
        ask(one);
        ask(other);
      }
      const last = ask(other);
      assert.equal(other.endedAt, undefined, 'five wait');
      ask(one);
      assert.equal(one.endedAt, 0);
      assert.deepEqual(why(), ['too many requests at once']);
      // Those of the first are gone: the other's three wait, and two more may.
      const third = connected();
      for (let index = 0; index < 3; index += 1) ask(third);
      assert.equal(third.endedAt, undefined);
      assert.equal(last.handled, false);
    });

    it('counts those that had their turn no more', () => {
      const [one, other, third] = [connected(), connected(), connected()];
      const first = ask(one);
      ask(one);
      ask(one);
      first.answer();
      for (const socket of [other, other, other, third, third, third]) ask(socket);
      assert.equal(third.endedAt, undefined, 'five wait');
      ask(one);
      assert.equal(one.endedAt, 0);
    });

    it('passes on no request whose connection is closed, nor one that it does not know', () => {
      const socket = connected();
      const first = ask(socket);
      const second = ask(socket);
      socket.destroy();
      first.answer();
      assert.equal(second.handled, false);
      assert.equal(ask(socket).handled, false);
      assert.equal(guard.latestAnswer(socket), undefined);
    });
  });
});
