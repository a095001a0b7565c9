import type { Capability } from '../../shared/capabilities.ts';
import { searchFor } from '../features/identities/list/search-params.ts';
import { identityIdIn, mayBeWhole } from '../format/identity-id.ts';
import type { Icon } from '../ui/icon.tsx';
import {
  IconAdjustments,
  IconApps,
  IconChecklist,
  IconDevices,
  IconFileDescription,
  IconLayoutDashboard,
  IconMail,
  IconPlugConnected,
  IconServer2,
  IconShieldCheck,
  IconUsers,
  IconZoomCode,
} from '../ui/icons.ts';

/** A page in the navigation, the palette, the overview and the `g` keys. */
export interface Page {
  to: string;
  label: string;
  /** One sentence: what an operator does here. */
  about: string;
  icon: Icon;
  /** Pressed after `g`. */
  letter: string;
  /** One of these; who has none sees it with a lock. */
  needs: readonly Capability[];
  /** What the palette offers to do with the text typed into it. */
  find?: Find;
  /** What else it offers to do with it, below the first unless it is the likelier. */
  alsoFind?: Find & { isLikelier: (text: string) => boolean };
}

export interface Find {
  label: string;
  search: (text: string) => Record<string, unknown>;
  /** How the palette finds the one thing that the text names, to open it at once; it brings the code for it along. */
  directly?: 'identity' | 'beginning';
  /** What it is called, and offered first, when the text can hardly mean anything else. */
  open?: string;
  isSure?: (text: string) => boolean;
}

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
  {
    to: '/identities',
    label: 'Identities',
    about: 'Find a person, see what they have and change it.',
    icon: IconUsers,
    letter: 'i',
    needs: ['identities.read'],
    find: {
      label: 'Find identity',
      search: (text) => ({ ...searchFor(text, {}) }),
      directly: 'identity',
      open: 'Open identity',
      isSure: (text) => identityIdIn(text) !== undefined,
    },
    alsoFind: {
      label: 'Find identities that begin with',
      search: (text) => ({ ...searchFor(`${text}*`, {}) }),
      directly: 'beginning',
      isLikelier: (text) => !mayBeWhole(text),
    },
  },
  {
    to: '/sessions',
    label: 'Sessions',
    about: 'Who is signed in, from what device and where; end or extend it.',
    icon: IconDevices,
    letter: 'e',
    needs: ['upstreams.read'],
  },
  {
    to: '/oauth/clients',
    label: 'OAuth2 clients',
    about: 'The applications that may ask for tokens: what each is allowed, and its secret.',
    icon: IconApps,
    letter: 'c',
    needs: ['upstreams.read'],
    find: { label: 'Find OAuth2 client by name', search: (text) => ({ name: text }) },
  },
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
  {
    to: '/messages',
    label: 'Messages',
    about: 'What the identity service has written to people, and whether it could be delivered.',
    icon: IconMail,
    letter: 'm',
    needs: ['upstreams.read'],
    find: { label: 'Find messages to', search: (text) => ({ recipient: text }) },
  },
  {
    to: '/schemas',
    label: 'Schemas',
    about: 'Which traits identities have, and which of them they sign in with.',
    icon: IconFileDescription,
    letter: 'h',
    needs: ['upstreams.read'],
  },
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
