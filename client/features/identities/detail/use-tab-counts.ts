import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { consentsQuery } from '../../../api/consents.ts';
import type { Identity } from '../../../api/identities-record.ts';
import { identitySessionsQuery } from '../../../api/identities-sessions.ts';
import { latestMessagesQuery, latestOf, messageAddresses } from '../../../api/message-addresses.ts';
import { digits } from '../../../format/counted.ts';
import type { TabCounts } from '../../../resource/detail/detail-tabs.tsx';
import { credentialItems } from './credential-items.ts';
import { identityCredentialsQuery } from './credential-queries.ts';

/** What the tabs of a person would list, by the same questions that they ask; `25+` where there are more. */
export function useTabCounts(identity: Identity): TabCounts {
  const { id } = identity;
  const { data: credentials } = useQuery(identityCredentialsQuery(id));
  const { data: sessions } = useInfiniteQuery(identitySessionsQuery(id));
  const { data: consents } = useInfiniteQuery(consentsQuery(id));
  const messages = useQueries({ queries: messageAddresses(identity).map((address) => latestMessagesQuery(address)) });
  const pages = messages.flatMap(({ data }) => data ?? []);
  const lastConsents = consents?.pages.at(-1);
  return {
    '/credentials': credentials && digits(credentialItems(credentials).length),
    '/sessions': sessions?.pages[0] && digits(sessions.pages[0].total),
    '/consents':
      consents && atLeast(consents.pages.flatMap(({ rows }) => rows).length, lastConsents?.next !== undefined),
    '/messages':
      pages.length === messages.length
        ? atLeast(
            latestOf(pages.map(({ rows }) => rows)).length,
            pages.some(({ next }) => next !== undefined),
          )
        : undefined,
  };
}

const atLeast = (count: number, more: boolean): string => `${digits(count)}${more ? '+' : ''}`;
