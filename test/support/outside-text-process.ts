import { hostileTexts } from './hostile-texts.ts';
import { READERS } from './outside-text-readers.ts';

/** A process that has the named reader read hostile texts of a length, and says which text comes next; null at the end. */
process.on('message', ({ name, length, which }: { name: string; length: number; which: 'common' | 'all' }) => {
  for (const text of hostileTexts(length, which)) {
    process.send?.(text.slice(0, 40));
    READERS[name]?.(text);
  }
  process.send?.(null);
});
