import type { ReactNode } from 'react';
import { PageHeading } from '../page-heading.tsx';
import { ForbiddenPanel } from './failure-panel.tsx';

/** The server's words to who may not see something, for where it is not asked. */
export const REFUSED = Object.assign(new Error('Admin access required.'), {
  hint: 'Contact your administrator to request access.',
});

/** In the place of a page for who may not see it: the server's words, without asking it for what is not for them. */
export function ClosedPage(props: { title: string; about?: string | undefined; actions?: ReactNode }) {
  return (
    <>
      <PageHeading {...props} />
      <ForbiddenPanel error={REFUSED} />
    </>
  );
}
