import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BatchOutcome } from '../../client/features/import-export/import-run.ts';
import { createImportSession } from '../../client/features/import-export/import-session.ts';
import { checkWithoutWorker } from '../support/import-runs.ts';
import { folderOfSuite } from '../support/of-suite.ts';

const PEOPLE = 100_000;
/** People sign in with their e-mail address, so duplicates in a file are detected. */
const SCHEMA = {
  id: 'person',
  schema: {
    properties: {
      traits: {
        properties: { email: { type: 'string', 'ory.sh/kratos': { credentials: { password: { identifier: true } } } } },
      },
    },
  },
};
const MEBIBYTE = 1_048_576;

describe('an import of 100,000 people', () => {
  const inFolder = folderOfSuite();
  before(async () => {
    const file = await open(inFolder('people.ndjson'), 'w');
    const note = 'x'.repeat(400);
    for (let first = 0; first < PEOPLE; first += 1_000) {
      const lines = Array.from({ length: 1_000 }, (_, index) =>
        JSON.stringify({ traits: { email: `p${first + index}@b.example` }, metadata_admin: { note } }),
      );
      await file.write(`${lines.join('\n')}\n`);
    }
    await file.close();
  });

  it('uses less than 30 MiB of memory, because it stores only what duplicates and the report require', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heapSize = (): number => {
      collect();
      return process.memoryUsage().heapUsed / MEBIBYTE;
    };
    const before = heapSize();
    const samples: number[] = [];
    let requests = 0;
    const session = createImportSession({
      known: { schemas: [SCHEMA], complete: true },
      schemaId: 'person',
      traitsCheck: checkWithoutWorker,
      storage: { getItem: () => null, setItem() {}, removeItem() {} },
      async create(identities) {
        requests += 1;
        if (requests % 200 === 0) samples.push(heapSize() - before);
        return identities.map((_, index): BatchOutcome => ({ outcome: 'created', id: `${requests}-${index}` }));
      },
    });
    session.subscribe(() => {
      const current = session.step();
      if (current.step === 'check' && current.checked % 25_000 === 0) samples.push(heapSize() - before);
    });
    const blob = await openAsBlob(inFolder('people.ndjson'));
    await session.choose(new File([blob], 'people.ndjson'));
    await session.start('beginning');
    const ended = session.step();
    assert.ok(ended.step === 'end' && ended.how === 'complete', JSON.stringify(ended));
    assert.deepEqual(ended.outcomes, [['created', PEOPLE]]);
    assert.ok(samples.length > 8, 'too few samples of the check and the run');
    assert.ok(Math.max(...samples) < 30, `${samples.map(Math.round).join(', ')} MiB`);
  });
});
