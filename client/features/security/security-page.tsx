import { Link, type LinkProps, Outlet, useLocation } from '@tanstack/react-router';
import { OPERATOR_DAYS } from '../../../shared/security.ts';
import { useCan } from '../../api/session.ts';
import { TabRow, tabClass } from '../../resource/detail/tab-row.tsx';
import { ClosedPage } from '../../ui/feedback/closed-page.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';

interface SecurityTab {
  to: Extract<LinkProps['to'], `/security${string}`>;
  label: string;
  title: string;
  about: string;
}

const POSTURE: SecurityTab = {
  to: '/security',
  label: 'Posture',
  title: 'Security',
  about: 'How securely this deployment is set up, and what cannot be determined from here.',
};
const TABS: readonly SecurityTab[] = [
  POSTURE,
  {
    to: '/security/audit',
    label: 'Audit trail',
    title: 'Audit trail',
    about: 'Who did what and when. The trail is append-only, and each record is chained to the one before it.',
  },
  {
    to: '/security/locked-accounts',
    label: 'Locked accounts',
    title: 'Locked accounts',
    about: 'Accounts that the platform’s login page has locked.',
  },
  {
    to: '/security/operators',
    label: 'Operators',
    title: 'Operators',
    about: `Who signed in to this dashboard in the last ${OPERATOR_DAYS} days, according to its audit trail.`,
  },
];

/** The tabs share one heading and navigation, which stay when switching between them. */
export function SecurityPage() {
  const may = useCan();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { title, about } = TABS.find(({ to }) => to === path.replace(/\/$/, '')) ?? POSTURE;
  if (!may('security.read')) return <ClosedPage title={title} about={about} />;
  return (
    <>
      <PageHeading title={title} about={about} />
      <TabRow label="Security">
        {TABS.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true, includeSearch: false }}
            className={tabClass}
            data-keeps-focus
            preload={false}
          >
            {label}
          </Link>
        ))}
      </TabRow>
      <Outlet />
    </>
  );
}
