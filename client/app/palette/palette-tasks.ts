import type { Page } from '../../resource/define-resource.ts';
import { IconAdjustmentsPlus, IconFileExport, IconFileImport, IconPlus, IconUserPlus } from '../../ui/icons.ts';

/** A task that has a page of its own. */
export interface Task extends Pick<Page, 'to' | 'label' | 'about' | 'icon' | 'needs'> {
  search?: Record<string, string>;
}

/** What the palette offers besides pages. */
export const TASKS: readonly Task[] = [
  {
    to: '/identities/new',
    label: 'New identity',
    about: 'Create a person or an account.',
    icon: IconUserPlus,
    needs: ['upstreams.write'],
  },
  {
    to: '/settings',
    search: { new: 'true' },
    label: 'New setting',
    about: 'A value or secret that services read at run time.',
    icon: IconAdjustmentsPlus,
    needs: ['settings.write'],
  },
  {
    to: '/identities/import',
    label: 'Import identities',
    about: 'Create many from a CSV or NDJSON file.',
    icon: IconFileImport,
    needs: ['upstreams.write'],
  },
  {
    to: '/identities/export',
    label: 'Export identities',
    about: 'All identities in one CSV or NDJSON file.',
    icon: IconFileExport,
    needs: ['identities.read'],
  },
  {
    to: '/oauth/clients/new',
    label: 'New OAuth2 client',
    about: 'For a web, browser, native or device application, or a machine.',
    icon: IconPlus,
    needs: ['upstreams.write'],
  },
];
