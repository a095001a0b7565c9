import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { type Check, type Finding, fail, gravest, pass, unknown, warn } from './check.ts';

const OTHERS = 0o077;
const SHARED = 0o066;
const STICKY = 0o1000;

/** Whether others than the service can read the index of people. */
export const identityIndexCheck = (where: Config['identityIndex']): Check => ({
  id: 'identity_index',
  title: 'Index of identities',
  why: 'It holds names, addresses and sign-ins of everyone; who can read its file needs no account here.',
  look: async () => {
    if (where === 'off') return pass('There is none.');
    if (where === 'memory') return pass('It is kept in memory only.');
    const [file, folder] = await Promise.all([lstat(where.file), lstat(dirname(where.file))]).catch(() => []);
    if (file === undefined || folder === undefined || process.geteuid === undefined)
      return unknown('Its file cannot be looked at.', 'See whether the service is running and may read it.');
    return gravest([ofFile(file, process.geteuid()), ofFolder(folder)], pass(''));
  },
});

function ofFile({ mode, uid }: Stats, own: number): Finding {
  if (uid !== own)
    return fail('Its file belongs to another user.', 'Remove the file: the service makes one of its own.');
  return (mode & OTHERS) === 0
    ? pass('Its file can be read by the service alone.')
    : fail('Its file can be read by other users.', 'Remove the permissions of group and others (chmod 600).');
}

/** Whoever may write there can put another file in its place; whoever may read there sees how large it is. */
function ofFolder({ mode }: Stats): Finding {
  const shared = mode & SHARED;
  return shared === 0 || (mode & STICKY) !== 0
    ? pass('Nobody else can replace it.')
    : warn('Its folder is open to other users.', 'Keep it in a folder of its own (chmod 700).');
}
