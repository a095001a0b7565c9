import { Link, type LinkProps, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Capability } from '../../../shared/capabilities.ts';
import { OPERATOR_DAYS } from '../../../shared/security.ts';
import { useCan } from '../../api/session.ts';
import { TabRow, tabClass } from '../../record/tabs.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';

interface SecurityTab {
  to: Extract<LinkProps['to'], `/security${string}`>;
  needs: Capability;
  label: string;
  title: string;
  about: string;
}

const POSTURE: SecurityTab = {
  to: '/security',
  needs: 'posture.read',
  label: 'Posture',
  title: 'Security',
  about: 'How securely this deployment is set up, and what cannot be determined from here.',
};
const TABS: readonly SecurityTab[] = [
  POSTURE,
  {
    to: '/security/audit',
    needs: 'audit.read',
    label: 'Audit trail',
    title: 'Audit trail',
    about: 'Who did what and when. The trail is append-only, and each record is chained to the one before it.',
  },
  {
    to: '/security/locked-accounts',
    needs: 'locks.read',
    label: 'Locked accounts',
    title: 'Locked accounts',
    about: 'Accounts that the platform’s login page has locked.',
  },
  {
    to: '/security/operators',
    needs: 'operators.read',
    label: 'Operators',
    title: 'Operators',
    about: `Who may sign in to this dashboard, as far as it is known, and who did in the last ${OPERATOR_DAYS} days.`,
  },
];

/** The tabs share one heading and navigation, which stay when switching between them. */
export function SecurityPage() {
  const may = useCan();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const tab = TABS.find(({ to }) => to === path.replace(/\/$/, '')) ?? POSTURE;
  const open = TABS.filter(({ needs }) => may(needs));
  const { title, about } = tab;
  if (!open.includes(tab))
    // Whoever comes by the navigation is led to the first that is theirs.
    return tab === POSTURE && open[0] !== undefined ? (
      <LedTo to={open[0].to} />
    ) : (
      <NoAccessPage title={title} about={about} />
    );
  return (
    <>
      <PageHeading title={title} about={about} />
      <TabRow label="Security">
        {open.map(({ to, label }) => (
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

function LedTo({ to }: Pick<SecurityTab, 'to'>) {
  const router = useRouter();
  useEffect(() => void router.navigate({ to, replace: true }), [router, to]);
  return null;
}
