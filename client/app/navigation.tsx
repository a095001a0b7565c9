import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { Link, Outlet, useChildMatches } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useCan } from '../api/session.ts';
import { hasPage, holders, isForAdministrators } from '../deployment.ts';
import { IDENTITIES } from '../features/identities/identity-resource.ts';
import { MESSAGES } from '../features/messages/message-resource.ts';
import { CLIENTS } from '../features/oauth-clients/client-resource.ts';
import { SCHEMAS } from '../features/schemas/schema-resource.ts';
import { SIGN_INS } from '../features/security/sign-in-resource.ts';
import { SESSIONS } from '../features/sessions/session-resource.ts';
import { SETTINGS } from '../features/settings/setting-resource.ts';
import { remember, remembered } from '../lib/tab-storage.ts';
import type { Page } from '../ui/pages.ts';
import {
  IconChecklist,
  IconHistory,
  IconLayoutDashboard,
  IconLayoutSidebar,
  IconLock,
  IconPlugConnected,
  IconServer2,
  IconShieldCheck,
  IconUserShield,
  IconUserX,
  IconZoomCode,
} from '../ui/shell-icons.tsx';
import { GuardedPage } from '../ui/state-panel.tsx';
import classes from './shell.module.css';

const PAGE_GROUPS: readonly { name?: string; pages: readonly Page[] }[] = [
  {
    pages: [
      {
        to: '/dashboard',
        label: 'Overview',
        about: 'Activity, where it comes from, and the status of services.',
        icon: IconLayoutDashboard,
        letter: 'o',
        needs: ['layout.own'],
      },
    ],
  },
  {
    name: 'People',
    pages: [IDENTITIES, SESSIONS, MESSAGES, SCHEMAS],
  },
  {
    name: 'Applications',
    pages: [
      CLIENTS,
      {
        to: '/oauth/consents',
        label: 'Consents',
        about: 'What people have allowed applications to do. Revoking a consent also revokes its tokens.',
        icon: IconChecklist,
        letter: 'a',
        needs: ['consents.read'],
      },
      {
        to: '/oauth/introspect',
        label: 'Introspect',
        about: 'Check whether a token is valid and what it allows, or revoke it.',
        icon: IconZoomCode,
        letter: 't',
        needs: ['upstreams.write'],
      },
    ],
  },
  {
    name: 'Configuration',
    pages: [
      {
        to: '/connections',
        label: 'Connections',
        about: 'Social sign-in providers: credentials, order, and which are enabled.',
        icon: IconPlugConnected,
        letter: 'n',
        needs: ['settings.read'],
      },
      SETTINGS,
    ],
  },
  {
    name: 'Operations',
    pages: [
      {
        to: '/security',
        label: 'Security',
        about: 'How securely this deployment is set up, and what cannot be determined from here.',
        icon: IconShieldCheck,
        letter: 'u',
        needs: ['posture.read'],
      },
      {
        to: '/security/audit',
        label: 'Audit trail',
        about: 'Who did what and when. The trail is append-only, and each record is chained to the one before it.',
        icon: IconHistory,
        letter: 'd',
        needs: ['audit.read'],
      },
      SIGN_INS,
      {
        to: '/security/locked-accounts',
        label: 'Locked accounts',
        about: 'Accounts that the platform’s login page has locked.',
        icon: IconUserX,
        letter: 'l',
        needs: ['locks.read'],
      },
      {
        to: '/security/operators',
        label: 'Operators',
        about: 'People known to have access to this dashboard, and what each has done.',
        icon: IconUserShield,
        letter: 'p',
        needs: ['operators.read'],
      },
      {
        to: '/system',
        label: 'System',
        about: 'Status, version and latency of every service, and the configuration.',
        icon: IconServer2,
        letter: 'y',
        needs: ['services.read'],
      },
    ],
  },
];

/** All pages of this deployment, in the groups of the navigation. The first group has no heading. */
export const pageGroups = () =>
  PAGE_GROUPS.map((group) => ({ ...group, pages: group.pages.filter(({ to }) => hasPage(to)) })).filter(
    ({ pages }) => pages.length > 0,
  );
export const allPages = (): Page[] => pageGroups().flatMap(({ pages }) => pages);

/** The heading of the pages about security, as the navigation describes each. */
export function SecurityPage() {
  const may = useCan();
  // Not the location, which is already that of the next page while that loads.
  const path = useChildMatches({ select: ([page]) => page?.fullPath.replace(/\/$/, '') });
  const page = allPages().find(({ to }) => to === path);
  if (page === undefined) return <Outlet />;
  const { label, about, needs } = page;
  return (
    <GuardedPage open={needs.some(may)} needs={needs} title={label} about={about}>
      <Outlet />
    </GuardedPage>
  );
}

const STORAGE_KEY = 'navigation-collapsed';

/** Whether the navigation is collapsed to icons, and a function that toggles this. The browser remembers it. */
export function useCollapsed(): [boolean, () => void] {
  const [collapsed, setCollapsed] = useState(() => remembered(STORAGE_KEY) !== undefined);
  const toggle = (): void => {
    setCollapsed(!collapsed);
    remember(STORAGE_KEY, collapsed ? undefined : 'true');
  };
  return [collapsed, toggle];
}

interface NavigationProps {
  /** For narrow screens, where the navigation covers the page. */
  open: boolean;
  /** For wide screens: only icons. */
  collapsed: boolean;
  onCollapse: () => void;
}

export function Navigation({ open, collapsed, onCollapse }: NavigationProps) {
  const may = useCan();
  const id = useId();
  const locked = allPages().filter(({ needs }) => !needs.some(may));
  return (
    <nav id="navigation" className={classes.navigation} aria-label="Pages" data-open={open || undefined}>
      {pageGroups().map(({ name, pages }) => (
        <div key={name ?? ''} className={classes.group}>
          {name !== undefined && <p id={id + name}>{name}</p>}
          <ul aria-labelledby={name && id + name}>
            {pages.map(({ to, label, icon: Icon, needs }) => {
              const named = needs.some(may) ? undefined : holders(needs);
              return (
                <li key={to}>
                  <Link
                    to={to}
                    preload="intent"
                    className={classes.page}
                    title={named && `For ${named}`}
                    activeOptions={{ exact: to === '/security', includeSearch: false }}
                  >
                    <Icon size={18} stroke={1.7} />
                    <span>{label}</span>
                    {named && (
                      <>
                        <IconLock className={classes.lock} size={14} />
                        <VisuallyHidden>(for {named})</VisuallyHidden>
                      </>
                    )}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
      {locked.length > 0 && !collapsed && (
        <p className={classes.openers}>
          {locked.every(({ needs }) => isForAdministrators(needs))
            ? 'The locked pages require the administrator role.'
            : 'Each locked page says who can open it.'}
        </p>
      )}
      <UnstyledButton className={classes.collapse} onClick={onCollapse} aria-keyshortcuts="[">
        <IconLayoutSidebar size={18} stroke={1.7} />
        <span>{collapsed ? 'Expand' : 'Collapse'} navigation</span>
      </UnstyledButton>
    </nav>
  );
}
