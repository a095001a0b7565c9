import type { ReactNode } from 'react';
import { PageHeading } from '../page-heading.tsx';
import { ForbiddenPanel } from './failure-panel.tsx';

/** The server's own message for a refused page, for use without a request. */
export const REFUSED = Object.assign(new Error('Admin access required.'), {
  hint: 'Contact your administrator to request access.',
});

/** Shown in place of a page that the operator may not see: the server's message, without making a request. */
export function ClosedPage(props: { title: string; about?: string | undefined; actions?: ReactNode }) {
  return (
    <>
      <PageHeading {...props} />
      <ForbiddenPanel error={REFUSED} />
    </>
  );
}
