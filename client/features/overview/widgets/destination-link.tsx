import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Destination } from '../destinations.ts';

/** A link to the page, or only its text where the operator has no such page. */
export function DestinationLink({
  destination,
  children,
  ...anchor
}: AnchorProps & { destination: Destination | undefined; children: ReactNode }) {
  if (destination === undefined) return children;
  const { to, search } = destination;
  return (
    // Which parameters a page takes cannot be told from its path as a text.
    <Anchor {...anchor} component={Link} to={to} search={search as never}>
      {children}
    </Anchor>
  );
}
