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

/** Every page that exists, in the order of the navigation: a new page is one more line. */
export const PAGES: readonly Page[] = [
  {
    to: '/dashboard',
    label: 'Overview',
    about: 'What is going on, where, and whether everything is up.',
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
    about: 'What a person has granted to applications; revoke it together with its tokens.',
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
    about: 'The social providers that customers may sign in with: order, credentials, on and off.',
    icon: IconPlugConnected,
    letter: 'n',
    needs: ['settings.read'],
  },
  {
    to: '/settings',
    label: 'Settings',
    about: 'Values that other services read at run time, encrypted where they are secret.',
    icon: IconAdjustments,
    letter: 's',
    needs: ['settings.read'],
    find: { label: 'Find in settings', search: (text) => ({ q: text }) },
  },
  {
    to: '/security',
    label: 'Security',
    about: 'How this deployment is set up, who did what, who is locked out, who the operators are.',
    icon: IconShieldCheck,
    letter: 'u',
    needs: ['posture.read', 'audit.read', 'locks.read', 'operators.read'],
  },
  {
    to: '/system',
    label: 'System',
    about: 'Whether every service is up, with its version and latency; the configuration of this deployment.',
    icon: IconServer2,
    letter: 'y',
    needs: ['services.read'],
  },
];
