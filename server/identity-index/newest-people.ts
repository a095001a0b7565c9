import type { IndexThread } from './index-thread.ts';
import type { IndexWriter } from './index-writer.ts';
import type { ListReading } from './list-reading.ts';
import type { IndexSources } from './sources.ts';

/** One question each: the rest waits for the next time. */
const LOOKED_UP_AT_ONCE = 20;

/**
 * Finds who has registered a moment ago: Kratos lists people in no order, but the latest messages first, and whoever has
 * registered was sent one or has a session. Recipients whom the index does not know are looked up, each message's once.
 */
export function newestPeople(
  index: Pick<IndexThread, 'unknownRecipients'>,
  sources: Pick<IndexSources, 'newestMessages' | 'byIdentifier'>,
  writer: Pick<IndexWriter, 'put'>,
): () => ListReading {
  let lookedUp = new Set<string>();

  return () => {
    let waiting: Map<string, string[]> | undefined;
    return {
      async next() {
        if (waiting === undefined) {
          const unknown = await index.unknownRecipients(await sources.newestMessages());
          lookedUp = new Set(unknown.map(({ id }) => id).filter((id) => lookedUp.has(id)));
          waiting = new Map();
          for (const { id, recipient } of unknown) {
            const ids = waiting.get(recipient) ?? [];
            if (lookedUp.has(id) || (ids.length === 0 && waiting.size >= LOOKED_UP_AT_ONCE)) continue;
            waiting.set(recipient, [...ids, id]);
          }
        } else {
          const [[recipient, ids] = ['', []]] = waiting;
          waiting.delete(recipient);
          await writer.put('people', async () => ({ text: await sources.byIdentifier(recipient) }));
          for (const id of ids) lookedUp.add(id);
        }
        return { isRead: true, fits: true, isOver: waiting.size === 0 };
      },
    };
  };
}
