import type { ReactNode } from 'react';
import { useAdminOnly } from '../../../api/session.ts';
import { ForbiddenPanel } from '../../../ui/failure-panel.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';

/** The page's frame; a viewer reads in it why there is nothing to do here. */
export function ForAdministrators(props: { title: string; about: string; children: ReactNode }) {
  const adminOnly = useAdminOnly();
  return (
    <>
      <PageHeading title={props.title} about={props.about} />
      {adminOnly === undefined ? (
        props.children
      ) : (
        <ForbiddenPanel
          error={Object.assign(new Error(adminOnly), { hint: 'Contact your administrator to request access.' })}
        />
      )}
    </>
  );
}
