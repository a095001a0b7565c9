import { ForbiddenPanel } from './failure-panel.tsx';
import { PageHeading } from './page-heading.tsx';

/** In the place of a page for who may not see it: the server's words, without asking it for what is not for them. */
export function ClosedPage({ title, about }: { title: string; about?: string | undefined }) {
  const refusal = Object.assign(new Error('Admin access required.'), {
    hint: 'Contact your administrator to request access.',
  });
  return (
    <>
      <PageHeading title={title} about={about} />
      <ForbiddenPanel error={refusal} />
    </>
  );
}
