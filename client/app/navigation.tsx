import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { startTransition, useEffect, useState } from 'react';
import { holdersOf } from '../../shared/capabilities.ts';
import { useCan } from '../api/session.ts';
import { IDENTITIES } from '../features/identities/identity-resource.ts';
import { MESSAGES } from '../features/messages/message-resource.ts';
import { CLIENTS } from '../features/oauth-clients/client-resource.ts';
import { SCHEMAS } from '../features/schemas/schema-resource.ts';
import { SESSIONS } from '../features/sessions/session-resource.ts';
import type { Page } from '../list/resource.ts';
import {
  IconAdjustments,
  IconChecklist,
  IconLayoutDashboard,
  IconLock,
  IconPlugConnected,
  IconServer2,
  IconShieldCheck,
  IconZoomCode,
} from '../ui/shell-icons.tsx';
import classes from './shell.module.css';

/** Every page, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  {
    to: '/dashboard',
    label: 'Overview',
    about: 'Activity, where it comes from, and whether services are up.',
    icon: IconLayoutDashboard,
    letter: 'o',
    needs: ['layout.own'],
  },
  IDENTITIES,
  SESSIONS,
  CLIENTS,
  {
    to: '/oauth/consents',
    label: 'Consents',
    about: 'What people have allowed applications to do. Revoking a consent also revokes its tokens.',
    icon: IconChecklist,
    letter: 'a',
    needs: ['upstreams.read'],
    find: { label: 'Find consents of subject', search: (text) => ({ subject: text }) },
  },
  {
    to: '/oauth/introspect',
    label: 'Introspect',
    about: 'Whether a token is valid, what it allows, and how to revoke it.',
    icon: IconZoomCode,
    letter: 't',
    needs: ['upstreams.write'],
  },
  MESSAGES,
  SCHEMAS,
  {
    to: '/connections',
    label: 'Connections',
    about: 'Social providers for customers: order, credentials, on or off.',
    icon: IconPlugConnected,
    letter: 'n',
    needs: ['settings.read'],
  },
  {
    to: '/settings',
    label: 'Settings',
    about: 'Values that other services read at run time. Secrets are encrypted.',
    icon: IconAdjustments,
    letter: 's',
    needs: ['settings.read'],
    find: { label: 'Find in settings', search: (text) => ({ q: text }) },
  },
  {
    to: '/security',
    label: 'Security',
    about: 'Posture, audit trail, locked accounts and operators.',
    icon: IconShieldCheck,
    letter: 'u',
    needs: ['posture.read', 'audit.read', 'locks.read', 'operators.read'],
  },
  {
    to: '/system',
    label: 'System',
    about: 'Status, version and latency of every service, and the configuration.',
    icon: IconServer2,
    letter: 'y',
    needs: ['services.read'],
  },
];

/** Rendered after the page: rendering both at once would block the browser too long. */
export function Navigation({ id, open }: { id: string; open: boolean }) {
  const [pageRendered, setPageRendered] = useState(false);
  useEffect(() => startTransition(() => setPageRendered(true)), []);
  return (
    <nav id={id} className={classes.navigation} aria-label="Pages" data-open={open || undefined}>
      {pageRendered && <Links />}
    </nav>
  );
}

function Links() {
  const may = useCan();
  return (
    <ul className={classes.pages}>
      {PAGES.map(({ to, label, icon: Icon, needs }) => {
        const holders = needs.some(may) ? undefined : holdersOf(needs);
        return (
          <li key={to}>
            <Link to={to} className={classes.page} title={holders && `For ${holders}`}>
              <Icon size={18} stroke={1.7} />
              {label}
              {holders && (
                <>
                  <IconLock className={classes.lock} size={14} />
                  <VisuallyHidden>(for {holders})</VisuallyHidden>
                </>
              )}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
