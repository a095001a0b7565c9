import { UpstreamFailure } from '../upstream/upstream-failure.ts';
import { IndexRefused, type IndexThread, IndexUnavailable } from './index-thread.ts';
import { type ListedPerson, listedPeople, type RowFilter } from './listed-people.ts';

/** Reads the rows of a page. @throws UpstreamFailure for what is no page of identities */
export type ReadRows = (page: string, filter: RowFilter) => Promise<ListedPerson[]>;

/** Parsing this takes some milliseconds, in which no other request goes on. */
const PARSED_HERE = 256 * 1024;

/** Large pages are parsed by the worker, if there is one. */
export const rowsReader =
  (ask: () => Pick<IndexThread, 'listedPeople'>): ReadRows =>
  async (page, filter) => {
    try {
      if (page.length <= PARSED_HERE) return listedPeople(page, filter);
      return await ask()
        .listedPeople(page, filter)
        .catch((error) => {
          if (error instanceof IndexUnavailable) return listedPeople(page, filter);
          throw error;
        });
    } catch (error) {
      // Without the parser's error as a cause: its message quotes the response.
      if (error instanceof SyntaxError || error instanceof IndexRefused) throw new UpstreamFailure('nonsense');
      throw error;
    }
  };
