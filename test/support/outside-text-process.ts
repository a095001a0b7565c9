import { hostileTexts } from './hostile-texts.ts';
import { READERS } from './outside-text-readers.ts';

/** A process that has the named reader read hostile texts of a length, and says which text comes next; null at the end. */
process.on('message', ({ name, length }: { name: string; length: number }) => {
  for (const text of hostileTexts(length)) {
    process.send?.(text.slice(0, 40));
    READERS[name]?.(text);
  }
  process.send?.(null);
});
