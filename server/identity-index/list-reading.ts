import { UpstreamFailure } from '../upstream/upstream-failure.ts';
import type { IndexWriter } from './index-writer.ts';
import { CLIENT_PAGE_SIZES, PAGE_SIZES, pageSize } from './page-size.ts';
import type { IndexSources, Kind } from './sources.ts';

/** Of a list that is read page by page. */
export interface ListReading {
  /** Reads and puts the next page; one that took too long, or that had no room, is asked for again by the next call. */
  next(): Promise<{
    /** False where it took too long. */
    isRead: boolean;
    /** False if the index is full. */
    fits: boolean;
    isOver: boolean;
  }>;
}

/** If even these pages of sessions are all new, the rest is left to the next pass. */
const NEWEST_PAGES = 20;

/**
 * @param list.newest of sessions: only the latest, up to a page that holds nothing new, and whose they are
 * @param list.pass the number that all of it is put with
 */
export function listReading(
  { kind, newest, pass }: { kind: Kind; newest: boolean; pass: number },
  sources: Pick<IndexSources, 'page'>,
  writer: Pick<IndexWriter, 'put' | 'readUnknown'>,
): ListReading {
  const size = pageSize(kind === 'clients' ? CLIENT_PAGE_SIZES : PAGE_SIZES);
  let token: string | undefined;
  let pages = 0;

  return {
    async next() {
      try {
        const page = await writer.put(kind, () => sources.page(kind, size.items, token), pass);
        size.follow({ items: page.ids.length, bytes: page.bytes });
        if (newest) await writer.readUnknown(page.of ?? []);
        if (!page.fits) return { isRead: true, fits: false, isOver: true };
        token = page.nextPageToken;
        pages += 1;
        const isEnough = newest && (page.known || pages >= NEWEST_PAGES);
        return { isRead: true, fits: true, isOver: token === undefined || isEnough };
      } catch (error) {
        if (error instanceof UpstreamFailure && error.kind === 'timeout' && size.halve())
          return { isRead: false, fits: true, isOver: false };
        throw error;
      }
    },
  };
}
