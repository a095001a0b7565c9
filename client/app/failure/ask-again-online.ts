import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ConnectionError } from '../../api/request-error.ts';
import { onOnline } from '../../lib/on-online.ts';
import { MissingPart } from '../../ui/feedback/missing-part.ts';

/** Asks again for what is on screen of these; the others are dropped, so that a page that uses them fetches anew. */
export async function askAgain(client: QueryClient, predicate: (query: Query) => boolean): Promise<void> {
  client.removeQueries({ type: 'inactive', predicate });
  await client.refetchQueries({ type: 'active', predicate });
}

const neverArrived = ({ state: { error } }: Query): boolean =>
  error instanceof ConnectionError || error instanceof MissingPart;

/** Once the browser is back online, asks again for what failed for lack of a connection. */
export function useAskAgainOnline(): void {
  const client = useQueryClient();
  useEffect(() => onOnline(() => void askAgain(client, neverArrived)), [client]);
}
