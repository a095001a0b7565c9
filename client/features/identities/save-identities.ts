import { deployment } from '../../deployment.ts';
import { saveFirst } from '../../resource/save-first/save-first.ts';
import { pagesOf } from './export/export-source.ts';
import { ndjsonWriter } from './export/write-identities.ts';
import { PORTABLE_MEMBERS } from './transfer/portable-identity.ts';

/** Identities before their deletion, in the form that the import takes. */
export const SAVE_IDENTITIES = saveFirst({
  about:
    'One line of JSON for each person, which the import of identities takes. Passwords, second factors and other secrets are not in it: a person who is imported again has to set them up again, under a new id.',
  subject: `identities-${deployment}`,
  writer: ndjsonWriter(PORTABLE_MEMBERS),
  pagesOf,
});
