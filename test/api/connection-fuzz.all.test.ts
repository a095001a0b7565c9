import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACTS, type Act, ANSWERS, call, forAll, leave, openSockets, REQUESTS } from '../support/process-usage.ts';
import { head } from '../support/raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { seededRandom } from '../support/seeded.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

/** `FUZZ_SECONDS=1800 npx mocha test/api/connection-fuzz.all.test.ts` fuzzes each side for half an hour. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 8);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
const STALL_MS = 30;
/** Required even on a slow machine. */
const LEAST = 500;

interface Case {
  bytes: string;
  act: Act;
}

describe(`connections left at every byte (seed ${SEED})`, function () {
  this.timeout((SECONDS + 60) * 1000);
  let upstream: RawUpstream;
  let service: ServiceProcess;
  let reply: (target: string, socket: Socket) => unknown;
  let resting: number;

  before(async () => {
    upstream = await startRawUpstream((request, socket) => {
      request.body.catch(() => {});
      return reply(request.target, socket);
    });
    service = await startServiceProcess({
      IDENTITY_URL: upstream.url,
      IDENTITY_ADMIN_URL: upstream.url,
      PROXY_TIMEOUT_MS: '1000',
    });
    resting = openSockets(service.running.pid);
  });
  after(async () => {
    await service.close();
    await upstream.close();
  });

  /** Every text cut at every byte and left in every way, in an order given by the seed. */
  function cases(texts: readonly string[]): Case[] {
    const random = seededRandom(SEED);
    const all = texts.flatMap((text) =>
      Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length)).flatMap((bytes) =>
        ACTS.map((act): Case => ({ bytes, act })),
      ),
    );
    for (let index = all.length - 1; index > 0; index -= 1) {
      const other = random.below(index + 1);
      [all[index], all[other]] = [all[other] as Case, all[index] as Case];
    }
    return all;
  }

  /** A short run covers some of the cases, a long one repeats all of them. */
  async function run(all: readonly Case[], act: (item: Case, index: number) => Promise<void>): Promise<number> {
    const end = performance.now() + SECONDS * 1000;
    let done = 0;
    do
      done += await forAll(
        [...all.entries()],
        { width: 48, goOn: (begun) => performance.now() < end || begun < LEAST },
        ([index, item]) => act(item, index),
      );
    while (performance.now() < end);
    return done;
  }

  async function assertUnharmed(): Promise<void> {
    assert.ok(await service.isHealthy(), service.running.output().slice(-2000));
    reply = (_target, socket) => socket.write(rawResponse('200 OK', [], 'fine'));
    assert.equal((await service.get('/api/identity/x')).body.toString(), 'fine');
    await upstream.idle();
    while (openSockets(service.running.pid) > resting) await sleep(50);
    assert.doesNotMatch(
      service.running.output(),
      /unexpected error, the process|internal_error|"name":"(?:Type|Range|Reference)Error"/,
    );
  }

  it('by callers, in requests of every kind', async () => {
    reply = (_target, socket) => socket.write(rawResponse('200 OK', [], 'fine'));
    const done = await run(cases(REQUESTS), ({ bytes, act }) => call(service.port, bytes, act, STALL_MS));
    assert.ok(done >= LEAST);
    await assertUnharmed();
  });

  it('by an upstream, in answers of every kind', async () => {
    const all = cases(ANSWERS);
    reply = async (target, socket) => {
      const { bytes, act } = all[Number(target.slice(1)) % all.length] as Case;
      socket.write(Buffer.from(bytes, 'latin1'));
      await leave(socket, act, STALL_MS);
    };
    const done = await run(all, (_item, index) => {
      const prefix = index % 2 === 0 ? 'identity' : 'identity-admin';
      const request =
        index % 3 === 0
          ? head(`GET /api/${prefix}/${index}`)
          : `${head(`POST /api/${prefix}/${index}`, ['Content-Length: 4'])}body`;
      return call(service.port, request, 'half-close', 2_000);
    });
    assert.ok(done >= LEAST);
    await assertUnharmed();
  });
});
