import type { ClientIndexState, ClientSearchPage } from '../../shared/client-search.ts';
import type {
  FoundIdentity,
  IdentityCount,
  IdentitySearchIds,
  IdentitySearchPage,
  IndexState,
} from '../../shared/identities.ts';
import {
  component,
  count,
  described,
  flag,
  listOf,
  nextPage,
  objectOf,
  openObject,
  orNull,
  type Schema,
  text,
  time,
  uuid,
} from './route.ts';

/** The response bodies of searches in the index. */
export const SEARCH_SCHEMAS: Readonly<Record<string, Schema>> = {
  FoundIdentity: objectOf<FoundIdentity>(
    {
      id: uuid,
      traits: openObject,
      state: text,
      created_at: time,
      updated_at: time,
      schema_id: text,
      last_session_at: described(orNull(time), 'Of the sessions that are known.'),
      changed: described(flag, 'It no longer matches: it has changed since it was read for the index.'),
    },
    ['changed'],
  ),
  IndexState: objectOf<IndexState>({
    complete: described(flag, 'Whether the whole store has been read.'),
    identities: described(count, 'How many identities have been read.'),
    as_of: described(orNull(time), 'When the newest were read, or that reading began.'),
  }),
  IdentitySearchPage: objectOf<IdentitySearchPage>(
    {
      identities: listOf(component('FoundIdentity')),
      ...nextPage,
      total: described(orNull(count), 'Null where so many match that counting them takes too long.'),
      index: component('IndexState'),
      exact: described(
        { type: 'string', enum: ['unfinished'] },
        'The identity service did not look up the exact identifier in time. Absent otherwise.',
      ),
    },
    ['exact'],
  ),
  IdentitySearchIds: objectOf<IdentitySearchIds>({ ids: listOf(uuid), index: component('IndexState') }),
  ClientSearchPage: objectOf<ClientSearchPage>({
    clients: listOf(described(openObject, "The OAuth 2.0 server's own, without secrets.")),
    ...nextPage,
    total: count,
    unused_since: described(orNull(time), 'From when on they have had no token; null without `unused`.'),
    index: objectOf<ClientIndexState>({
      complete: described(flag, 'Whether all clients have been read.'),
      clients: described(count, 'How many clients have been read.'),
      as_of: described(time, 'When the newest were read, or that reading began.'),
    }),
  }),
  IdentityCount: objectOf<IdentityCount>({ count, as_of: orNull(time) }),
};
