import { type IndexThread, isOfIndex } from './index-thread.ts';

/** What one slice of merging writes: some 20 milliseconds' worth. */
const MERGED_PAGES = 32;

/** Makes one segment of the full-text index after the first pass; later on, few enough. */
export async function mergeTexts(index: Pick<IndexThread, 'mergeTexts'>, isFirst: boolean): Promise<void> {
  let pages = isFirst ? -MERGED_PAGES : MERGED_PAGES;
  try {
    while (await index.mergeTexts(pages)) pages = MERGED_PAGES;
  } catch (error) {
    // Without room, or without the worker, it stays as it is.
    if (!isOfIndex(error)) throw error;
  }
}
