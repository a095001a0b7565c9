import { Anchor, type AnchorProps } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Capability } from '../../../shared/capabilities.ts';
import { useCan } from '../../api/session.ts';

/** The page that a widget summarises, with the filter that makes it show the same data. */
export interface Destination {
  to: string;
  search?: Record<string, string>;
  needs: Capability;
}

export const IDENTITIES: Destination = { to: '/identities', needs: 'identities.read' };
/** People who are found like this; the members are the list's search parameters. */
export const identitiesWith = (
  search: { schema: string } | { verified: 'yes' | 'no' } | { created: string },
): Destination => ({ ...IDENTITIES, search });
/** People who were created on local days, `2026-01-31`, the first and the last of which count. */
export const identitiesCreated = (from: string, to: string): Destination =>
  identitiesWith({ created: `${from}..${to}` });
export const SESSIONS: Destination = { to: '/sessions', needs: 'upstreams.read' };
export const ACTIVE_SESSIONS: Destination = { ...SESSIONS, search: { active: 'true' } };
export const CLIENTS: Destination = { to: '/oauth/clients', needs: 'upstreams.read' };
export const SYSTEM: Destination = { to: '/system', needs: 'services.read' };
export const POSTURE: Destination = { to: '/security', needs: 'posture.read' };
export const CHANGES: Destination = { to: '/security/audit', search: { changes: 'true' }, needs: 'audit.read' };
export const LOCKED_ACCOUNTS: Destination = { to: '/security/locked-accounts', needs: 'locks.read' };

/**
 * A link to the page, or plain text if the operator may not open it.
 * @param props.label for screen readers, when the text alone is not enough; contains it
 */
export function DestinationLink({
  destination,
  label,
  children,
  ...anchor
}: AnchorProps & { destination: Destination | undefined; label?: string; children: ReactNode }) {
  if (destination === undefined) return children;
  const { to, search } = destination;
  return (
    // Search parameters cannot be typed when the path is only known as a string.
    <Anchor {...anchor} component={Link} to={to} search={search as never} aria-label={label}>
      {children}
    </Anchor>
  );
}

/** Whether the operator may open a page and this app has a route for it. */
export function useOpenDestination(): (destination: Destination) => Destination | undefined {
  const may = useCan();
  const { routesByPath } = useRouter();
  return (destination) => (destination.to in routesByPath && may(destination.needs) ? destination : undefined);
}
