import { IconFileExport, IconFileImport, IconPlus } from '@tabler/icons-react';
import type { Page } from './navigation.ts';

/** What the palette offers besides the pages: work that begins on a page of its own. */
export const TASKS: readonly Pick<Page, 'to' | 'label' | 'about' | 'icon' | 'needs'>[] = [
  {
    to: '/identities/import',
    label: 'Import identities',
    about: 'Create many from a CSV or NDJSON file.',
    icon: IconFileImport,
    needs: 'identities.write',
  },
  {
    to: '/identities/export',
    label: 'Export identities',
    about: 'All of them in one CSV or NDJSON file.',
    icon: IconFileExport,
    needs: 'identities.read',
  },
  {
    to: '/oauth/clients/new',
    label: 'New OAuth2 client',
    about: 'For a web, browser, native or device application, or a machine.',
    icon: IconPlus,
    needs: 'clients.write',
  },
];
