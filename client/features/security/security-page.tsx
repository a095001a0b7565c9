import { Outlet, useLocation } from '@tanstack/react-router';
import type { Capability } from '../../../shared/capabilities.ts';
import { OPERATOR_DAYS } from '../../../shared/security.ts';
import { useCan } from '../../api/session.ts';
import { PageHeading } from '../../ui/layout.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';

const POSTURE = {
  title: 'Security',
  about: 'How securely this deployment is set up, and what cannot be determined from here.',
  needs: 'posture.read',
} as const;
const OTHERS: Readonly<Record<string, { title: string; about: string; needs: Capability }>> = {
  '/security/audit': {
    title: 'Audit trail',
    about: 'Who did what and when. The trail is append-only, and each record is chained to the one before it.',
    needs: 'audit.read',
  },
  '/security/locked-accounts': {
    title: 'Locked accounts',
    about: 'Accounts that the platform’s login page has locked.',
    needs: 'locks.read',
  },
  '/security/operators': {
    title: 'Operators',
    about: `Who may sign in to this dashboard, as far as known, and who did in the last ${OPERATOR_DAYS} days.`,
    needs: 'operators.read',
  },
};

/** The heading of each page about security. */
export function SecurityPage() {
  const may = useCan();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { needs, ...heading } = OTHERS[path.replace(/\/$/, '')] ?? POSTURE;
  if (!may(needs)) return <NoAccessPage {...heading} />;
  return (
    <>
      <PageHeading {...heading} />
      <Outlet />
    </>
  );
}
