import { ForbiddenPanel } from '../../ui/failure-panel.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';

/** For a viewer: what the server would say, without asking for a person's data that is not for them. */
export function AdministratorsOnly({ title }: { title: string }) {
  const refusal = Object.assign(new Error('Admin access required.'), {
    hint: 'Contact your administrator to request access.',
  });
  return (
    <>
      <PageHeading title={title} />
      <ForbiddenPanel error={refusal} />
    </>
  );
}
