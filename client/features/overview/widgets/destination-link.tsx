import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Destination } from '../destinations.ts';

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
