import { Anchor } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NamedThing } from './record-sentence.ts';

interface Place {
  to: string;
  params?: Record<string, string>;
  search?: Record<string, string>;
}

/** Where a thing can be looked at; an operator's place is what they did, for their identity may be of another store. */
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

/** Its name, as a link where this app has a page for it. */
export function NamedLink({ thing, children }: { thing: NamedThing; children: ReactNode }) {
  const { routesByPath } = useRouter();
  const { to, params, search } = placeOf(thing);
  if (!(to in routesByPath)) return <span title={thing.id}>{children}</span>;
  return (
    // Which parameters a page takes cannot be told from its path as a text.
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
