import { isObject } from '../../../shared/json.ts';

/** What a trait is used for besides being stored. */
export interface TraitUse {
  label: string;
  meaning: string;
}

const VIAS: Record<string, string> = { email: 'e-mail', sms: 'text message', phone: 'text message' };
const via = (value: unknown): string =>
  typeof value === 'string' ? (Object.hasOwn(VIAS, value) ? (VIAS[value] ?? value) : value) : 'message';

/** `credentials.<type>.identifier: true` */
const IDENTIFIERS: Record<string, TraitUse> = {
  password: {
    label: 'Signs in with a password',
    meaning: 'Entered with the password. No two identities may share it.',
  },
  webauthn: { label: 'Signs in with a security key', meaning: 'Identifies the account before the key is used.' },
  code: { label: 'Signs in with a code', meaning: 'A one-time code is sent here. No two identities may share it.' },
  oidc: { label: 'Signs in with a provider', meaning: 'Compared with the value from the social provider.' },
};

/** Describes Kratos' schema extension `ory.sh/kratos`; unknown parts are shown by their names. */
export function usesOf(extension: unknown): TraitUse[] {
  if (!isObject(extension)) return [];
  return Object.entries(extension).flatMap(([part, value]): TraitUse[] => {
    switch (part) {
      case 'credentials':
        return isObject(value) ? Object.entries(value).flatMap(([type, by]) => credentialUse(type, by)) : [];
      case 'verification':
        return isObject(value)
          ? [
              {
                label: `Verified by ${via(value.via)}`,
                meaning: 'The person proves ownership with a code or link sent here.',
              },
            ]
          : [];
      case 'recovery':
        return isObject(value)
          ? [
              {
                label: `Recovers by ${via(value.via)}`,
                meaning: 'A person who lost access regains it with a code or link sent here.',
              },
            ]
          : [];
      case 'organizations':
        return [{ label: 'Assigns the organisation', meaning: 'The domain determines the identity’s organisation.' }];
      default:
        return [unknownUse(part)];
    }
  });
}

function credentialUse(type: string, by: unknown): TraitUse[] {
  if (!isObject(by)) return [];
  if (type === 'totp' && by.account_name === true)
    return [{ label: 'Names the authenticator app’s entry', meaning: 'Shown in the app next to the codes.' }];
  if (type === 'passkey' && by.display_name === true)
    return [{ label: 'Names the passkey', meaning: 'Shown when choosing a passkey.' }];
  const used = by.identifier === true || typeof by.via === 'string';
  if (!used) return Object.values(by).some((value) => value === true) ? [unknownUse(`credentials.${type}`)] : [];
  const known = Object.hasOwn(IDENTIFIERS, type) ? IDENTIFIERS[type] : undefined;
  if (known === undefined) return [unknownUse(`credentials.${type}`)];
  return type === 'code' && by.via !== undefined
    ? [{ ...known, label: `Signs in with a code by ${via(by.via)}` }]
    : [known];
}

const unknownUse = (name: string): TraitUse => ({
  label: name,
  meaning: 'This dashboard does not know this use. See the JSON and Kratos’ documentation.',
});
