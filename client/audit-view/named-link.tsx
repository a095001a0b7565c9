import { Anchor } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Capability } from '../../shared/capabilities.ts';
import { useCan } from '../api/session.ts';
import type { NamedThing } from './record-sentence.ts';

interface Place {
  to: string;
  needs: Capability;
  params?: Record<string, string>;
  search?: Record<string, string>;
}

/** The page of a named thing. An operator's is the list of their actions: their identity may be in another store. */
function placeOf({ kind, id }: NamedThing): Place {
  switch (kind) {
    case 'identity':
      return { to: '/identities/$id', needs: 'upstreams.read', params: { id } };
    case 'setting':
      return { to: '/settings', needs: 'settings.read', search: { key: id } };
    case 'client':
      return { to: '/oauth/clients/$id', needs: 'upstreams.read', params: { id } };
    case 'session':
      return { to: '/security/audit', needs: 'audit.read', search: { subject: `session:${id}` } };
    case 'operator':
      return { to: '/security/audit', needs: 'audit.read', search: { actor: id } };
  }
}

/** Its name, linked to its page in this app if it has one that the operator may open. */
export function NamedLink({ thing, children }: { thing: NamedThing; children: ReactNode }) {
  const { routesByPath } = useRouter();
  const may = useCan();
  const { to, needs, params, search } = placeOf(thing);
  if (!(to in routesByPath && may(needs))) return <span title={thing.id}>{children}</span>;
  return (
    // Search parameters cannot be typed when the path is only known as a string.
    <Anchor
      component={Link}
      inherit
      underline="always"
      title={thing.id}
      to={to}
      params={params as never}
      search={search as never}
      preload={false}
    >
      {children}
    </Anchor>
  );
}
