import { Anchor } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NamedThing } from './record-sentence.ts';

interface Place {
  to: string;
  params?: Record<string, string>;
  search?: Record<string, string>;
}

/** The page of a named thing. An operator's is the list of their actions: their identity may be in another store. */
function placeOf({ kind, id }: NamedThing): Place {
  switch (kind) {
    case 'identity':
      return { to: '/identities/$id', params: { id } };
    case 'setting':
      return { to: '/settings', search: { key: id } };
    case 'client':
      return { to: '/oauth/clients/$id', params: { id } };
    case 'session':
      return { to: '/security/audit', search: { subject: `session:${id}` } };
    case 'operator':
      return { to: '/security/audit', search: { actor: id } };
  }
}

/** Its name, linked to its page in this app if it has one. */
export function NamedLink({ thing, children }: { thing: NamedThing; children: ReactNode }) {
  const { routesByPath } = useRouter();
  const { to, params, search } = placeOf(thing);
  if (!(to in routesByPath)) return <span title={thing.id}>{children}</span>;
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
