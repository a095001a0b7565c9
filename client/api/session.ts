import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Capability, can, holdersOf } from '../../shared/capabilities.ts';
import type { SessionInformation } from '../../shared/session.ts';
import { request, send } from './request.ts';

/** The signed-in operator: read once when the app loads, never polled (docs/api.md#sign-in-and-session). */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => request<SessionInformation>('/api/auth/session'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** The signed-in operator. Use only below the session gate. */
export function useOperator(): SessionInformation['user'] {
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  if (data === undefined) throw new Error('no session');
  return data.user;
}

/** What the signed-in operator may do. Use only below the session gate. */
export function useCan(): (capability: Capability) => boolean {
  const { role } = useOperator();
  return (capability) => can(role, capability);
}

/** Why the operator lacks this capability; undefined if they have it. */
export const useRefusal = (capability: Capability): string | undefined =>
  useCan()(capability) ? undefined : `Only ${holdersOf([capability])} can do this.`;

/** Ends the session on the server and in this browser. */
export const signOut = (): Promise<Response> => send('/api/auth/logout', { method: 'POST' });
