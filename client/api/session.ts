import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { type Capability, can } from '../../shared/capabilities.ts';
import { SESSION_EXPIRES_HEADER, type SessionInformation, SHORT_SESSION_HEADER } from '../../shared/session.ts';
import { holders } from '../deployment.ts';
import { clockAheadMs, type WithClock } from './polling.ts';
import { bodyOf, send } from './request.ts';

interface OwnSession extends SessionInformation {
  /** End of the session, in milliseconds since the epoch by the server's clock; absent if a proxy drops the header. */
  expiry?: WithClock<{ at: number /** The length of a short session. */; minutes: number | undefined }>;
}

/** The signed-in operator: read on load and near the session's end, never polled (docs/api.md#sign-in-and-session). */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<OwnSession> => {
    const response = await send('/api/auth/session');
    const information = await bodyOf<SessionInformation>(response);
    const at = Date.parse(response.headers.get(SESSION_EXPIRES_HEADER) ?? '');
    if (Number.isNaN(at)) return information;
    const minutes = Number(response.headers.get(SHORT_SESSION_HEADER)) || undefined;
    return { ...information, expiry: { at, clockAheadMs: clockAheadMs(response), minutes } };
  },
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** @param beforeSession the result until the session loads; the server checks every request anyway */
export const mayRead = (queryClient: QueryClient, capability: Capability, beforeSession = false): boolean => {
  const role = queryClient.getQueryData(sessionQuery.queryKey)?.user.role;
  return role === undefined ? beforeSession : can(role, capability);
};

/** Use only below the session gate. */
export function useOwnSession(): OwnSession {
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  if (data === undefined) throw new Error('no session');
  return data;
}

/** The signed-in operator. Use only below the session gate. */
export const useOperator = (): SessionInformation['user'] => useOwnSession().user;

/** What the signed-in operator may do. Use only below the session gate. */
export function useCan(): (capability: Capability) => boolean {
  const { role } = useOperator();
  return (capability) => can(role, capability);
}

/** Says who has a capability that the operator lacks; undefined if they have it. */
export const useRefusal = (capability: Capability): string | undefined =>
  useCan()(capability) ? undefined : `Only ${holders([capability])} can do this.`;

export const signOut = (): Promise<Response> => send('/api/auth/logout', { method: 'POST' });
