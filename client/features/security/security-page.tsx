import { Outlet, useChildMatches, useRouter } from '@tanstack/react-router';
import { useCan } from '../../api/session.ts';
import { PageHeading } from '../../ui/layout.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';

/** The heading of each page about security, as the navigation describes it. */
export function SecurityPage() {
  const may = useCan();
  // Not the location, which is already that of the next page while that loads.
  const path = useChildMatches({ select: ([page]) => page?.fullPath.replace(/\/$/, '') });
  const page = useRouter().options.context.pages.find(({ to }) => to === path);
  if (page === undefined) return <Outlet />;
  const { label, about, needs } = page;
  if (!needs.some(may)) return <NoAccessPage title={label} about={about} />;
  return (
    <>
      <PageHeading title={label} about={about} />
      <Outlet />
    </>
  );
}
