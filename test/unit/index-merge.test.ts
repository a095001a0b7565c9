import assert from 'node:assert/strict';
import { indexCommands } from '../../server/identity-index/index-commands.ts';
import { openInMemory } from '../../server/identity-index/index-database.ts';
import { identity } from '../support/index-rig.ts';

const MB = 1_048_576;

describe('the full-text index of the people', () => {
  it('becomes one segment in many small steps, and finds the same before, between and after', () => {
    const database = openInMemory(64 * MB);
    const commands = indexCommands(database, () => 0);
    for (let from = 0; from < 10_000; from += 250)
      commands.putPeople(JSON.stringify(Array.from({ length: 250 }, (_, number) => identity(from + number))), 1);
    const segments = database.prepare('select count(distinct segid) from texts_idx').pluck();
    const found = (): unknown => commands.ids({ text: 'person123' }, 1_000);
    const before = found();
    assert.ok((segments.get() as number) > 1);
    let steps = 0;
    for (let pages = -4; commands.mergeTexts(pages); pages = 4) {
      steps += 1;
      if (steps % 10 === 0) assert.deepEqual(found(), before);
    }
    assert.ok(steps > 10, `${steps}`);
    assert.equal(segments.get(), 1);
    assert.deepEqual(found(), before);
    assert.equal((before as string[]).length, 11);
    assert.equal(commands.mergeTexts(4), false);
    database.prepare("insert into texts (texts) values ('integrity-check')").run();
  });
});
