import assert from 'node:assert/strict';
import {
  byDay,
  EVERYTHING,
  mergedLines,
  NOTHING,
  type TimelineLine,
  timeOfDay,
} from '../../client/record/timeline-sources.tsx';
import { timeOf } from '../../shared/json.ts';
import { seededRandom } from '../support/seeded.ts';

const line = (id: string, at: string): TimelineLine => ({ id, at, kind: 'trail', text: id });
const minute = (number: number): string => new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
const ids = (lines: readonly TimelineLine[]): string[] => lines.map(({ id }) => id);

describe('the lines of a timeline', () => {
  it('end at the last time of a source that has not been read further, and exclude that time', () => {
    const parts = [
      {
        lines: [line('far', minute(1)), line('same', minute(5)), line('near', minute(9))],
        pagedQuery: { loadedTo: EVERYTHING },
      },
      { lines: [line('own', minute(5)), line('newer', minute(6))], pagedQuery: { loadedTo: Date.parse(minute(5)) } },
    ];
    assert.deepEqual(ids(mergedLines(parts)), ['near', 'newer']);
    assert.deepEqual(mergedLines([...parts, { lines: [], pagedQuery: { loadedTo: NOTHING } }]), []);
  });

  it('grow only at their end while more is loaded, from any source', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seededRandom(seed);
      // Several lines of one time, within a source and across them, and pages of any size.
      const sources = ['x', 'y', 'z'].map((name) => {
        const times = Array.from({ length: random.below(12) }, () => random.below(8)).sort((one, other) => other - one);
        const size = 1 + random.below(4);
        return { all: times.map((time, index) => line(`${name}${index}`, minute(time))), size, read: size };
      });
      const parts = () =>
        sources.map(({ all, read }) => {
          const lines = all.slice(0, read);
          return { lines, pagedQuery: { loadedTo: read < all.length ? timeOf(lines.at(-1)?.at) : EVERYTHING } };
        });
      let before: string[] = [];
      for (;;) {
        const shown = ids(mergedLines(parts()));
        assert.deepEqual(shown.slice(0, before.length), before, `seed ${seed}`);
        before = shown;
        const unfinished = sources.filter(({ all, read }) => read < all.length);
        if (unfinished.length === 0) break;
        const next = random.of(unfinished);
        next.read += next.size;
      }
      assert.equal(
        before.length,
        sources.reduce((sum, { all }) => sum + all.length, 0),
      );
    }
  });

  it('are grouped by day, with words for today and yesterday', () => {
    const now = new Date(2026, 2, 8, 12).getTime();
    const at = (day: number, hour: number): string => new Date(2026, 2, day, hour).toISOString();
    const days = byDay([line('d', at(8, 9)), line('c', at(8, 0)), line('b', at(7, 23)), line('a', at(1, 5))], now);
    assert.deepEqual(
      days.map(({ name, lines }) => [name, ids(lines)]),
      [
        ['Today, 8 Mar 2026', ['d', 'c']],
        ['Yesterday, 7 Mar 2026', ['b']],
        ['1 Mar 2026', ['a']],
      ],
    );
    assert.equal(timeOfDay(at(8, 9)), '09:00:00');
  });
});
