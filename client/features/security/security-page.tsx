import { Group } from '@mantine/core';
import { Link, type LinkProps, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import type { Capability } from '../../../shared/capabilities.ts';
import { OPERATOR_DAYS } from '../../../shared/security.ts';
import { useCan } from '../../api/session.ts';
import { TabRow, tabClass } from '../../record/tabs.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';
import classes from './security.module.css';

interface SecurityTab {
  to: Extract<LinkProps['to'], `/security${string}`>;
  needs: Capability;
  label: string;
  /** If it differs from the label. */
  title?: string;
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
    about: 'Who did what and when. The trail is append-only, and each record is chained to the one before it.',
  },
  {
    to: '/security/locked-accounts',
    needs: 'locks.read',
    label: 'Locked accounts',
    about: 'Accounts that the platform’s login page has locked.',
  },
  {
    to: '/security/operators',
    needs: 'operators.read',
    label: 'Operators',
    about: `Who may sign in to this dashboard, as far as known, and who did in the last ${OPERATOR_DAYS} days.`,
  },
];

/** The heading and navigation of all tabs. */
export function SecurityPage() {
  const may = useCan();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const tab = TABS.find(({ to }) => to === path.replace(/\/$/, '')) ?? POSTURE;
  const open = TABS.filter(({ needs }) => may(needs));
  const { label, title = label, about } = tab;
  if (!open.includes(tab))
    // The main navigation links here: redirect to the first tab that this operator may see.
    return tab === POSTURE && open[0] !== undefined ? (
      <Navigate to={open[0].to} replace />
    ) : (
      <NoAccessPage title={title} about={about} />
    );
  return (
    <>
      <Group gap="0 1.5rem" mb="sm" className={classes.head}>
        <PageHeading title={title} about={about} />
        <TabRow label="Security">
          {open.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              className={tabClass}
              preload={false}
            >
              {label}
            </Link>
          ))}
        </TabRow>
      </Group>
      <Outlet />
    </>
  );
}
