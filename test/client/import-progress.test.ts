import assert from 'node:assert/strict';
import { progressStore } from '../../client/features/identities/transfer/import-progress.ts';
import { importReport, reportLines, resultCells } from '../../client/features/identities/transfer/import-reports.ts';
import {
  type ImportResult,
  type OutcomeRuns,
  withOutcomes,
} from '../../client/features/identities/transfer/import-run.ts';

describe('the progress of an import', () => {
  const storage = () => {
    const items = new Map<string, string>();
    return {
      items,
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    };
  };
  const progress = (fingerprint: string, savedAt = 0) => ({
    fingerprint,
    total: 300,
    outcomes: [['created', 100]] as OutcomeRuns,
    savedAt,
  });

  it('is found for the same file after a reload, but only its latest', () => {
    const kept = storage();
    progressStore(kept, () => 0).save(progress('a'));
    progressStore(kept, () => 0).save(progress('b'));
    progressStore(kept, () => 0).save({ ...progress('a'), outcomes: [['created', 200]] });
    const store = progressStore(kept, () => 0);
    assert.deepEqual(store.find('a')?.outcomes, [['created', 200]]);
    assert.deepEqual(
      store.all().map(({ fingerprint }) => fingerprint),
      ['a', 'b'],
    );
    assert.equal(store.find('c'), undefined);
  });

  it('contains only the fingerprint, counts and a time', () => {
    const kept = storage();
    const outcomes = withOutcomes(
      [['created', 99]],
      Array.from({ length: 51 }, () => 'created'),
    );
    progressStore(kept, () => 0).save({ fingerprint: 'f', total: 300, outcomes, savedAt: 0 });
    assert.deepEqual(
      [...kept.items.values()],
      ['[{"fingerprint":"f","total":300,"outcomes":[["created",150]],"savedAt":0}]'],
    );
  });

  it('is kept for five imports and thirty days at most', () => {
    const kept = storage();
    for (const name of 'abcdefg') progressStore(kept, () => 0).save(progress(name));
    assert.equal(progressStore(kept, () => 0).all().length, 5);
    assert.equal(progressStore(kept, () => 31 * 86_400_000).all().length, 0);
  });

  it('is ignored if the browser has stored something else', () => {
    for (const stored of ['not json', '[null, {"fingerprint":"a","total":1,"savedAt":0,"outcomes":[7]}]']) {
      const kept = storage();
      kept.setItem('identity-imports.unfinished', stored);
      assert.deepEqual(progressStore(kept, () => 0).all(), []);
    }
  });
});

describe('the report of an import', () => {
  it('has a line for each identity, including those of an earlier run and those not sent', async () => {
    const identities = Array.from({ length: 5 }, (_, index) => ({
      line: index + 2,
      identity: { traits: { email: `p${index}@b.example` } },
      problems: index === 2 ? ['traits.email: is required'] : [],
      overridable: false,
      leftOut: [],
    }));
    async function* each() {
      yield* identities;
    }
    const runs: OutcomeRuns = [
      ['created', 2],
      ['invalid', 1],
      ['existing', 1],
    ];
    const lines = reportLines();
    const ofRun: ImportResult[] = [
      { line: 4, who: 'c@b.example', outcome: 'invalid', reason: 'traits.email: is required' },
      { line: 5, who: 'd@b.example', outcome: 'existing', reason: '=HYPERLINK("x")' },
    ];
    for (const result of ofRun) lines.add(resultCells(result));
    const report = await (await importReport(each(), runs, { from: 2, lines })).text();
    assert.equal(
      report,
      [
        'line,who,outcome,id,reason',
        '2,p0@b.example,created,,',
        '3,p1@b.example,created,,',
        '4,c@b.example,skipped,,traits.email: is required',
        `5,d@b.example,already exists,,"'=HYPERLINK(""x"")"`,
        '6,p4@b.example,not sent,,',
        '',
      ].join('\r\n'),
    );
  });
});
