import { IDENTITIES } from '../features/identities/identity-resource.ts';
import { MESSAGES } from '../features/messages/message-resource.ts';
import { CLIENTS } from '../features/oauth-clients/client-resource.ts';
import { SCHEMAS } from '../features/schemas/schema-resource.ts';
import { SESSIONS } from '../features/sessions/session-resource.ts';
import type { Page } from '../resource/define-resource.ts';
import {
  IconAdjustments,
  IconChecklist,
  IconLayoutDashboard,
  IconPlugConnected,
  IconServer2,
  IconShieldCheck,
  IconZoomCode,
} from '../ui/icons.ts';

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
    about: 'What a person has granted to applications. Revoke it with its tokens.',
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
