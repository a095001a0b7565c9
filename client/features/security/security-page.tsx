import { Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useCan } from '../../api/session.ts';
import { PageHeading } from '../../ui/layout.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';

/** The heading of each page about security, as the navigation describes it. */
export function SecurityPage() {
  const may = useCan();
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') });
  const { pages } = useRouter().options.context;
  const { label: title = '', about, needs = [] } = pages.find(({ to }) => to === path) ?? {};
  if (!needs.some(may)) return <NoAccessPage title={title} about={about} />;
  return (
    <>
      <PageHeading title={title} about={about} />
      <Outlet />
    </>
  );
}
