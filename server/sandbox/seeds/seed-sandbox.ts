import { randomInt } from 'node:crypto';
import { isExtraRole, rolesWith } from '../../../shared/capabilities.ts';
import type { SettingInput } from '../../../shared/settings.ts';
import type { Deployment } from '../../../shared/upstreams.ts';
import { operatorIdentities, operatorsWith } from '../deployment-settings.ts';
import type { SandboxOptions, SandboxParts } from '../parts.ts';
import { consentsOf, messages, type Recipient, sessionsOf } from './activity.ts';
import { demoClients } from './clients.ts';
import { people } from './people.ts';
import { type Random, randomFrom } from './random.ts';

/** Fictitious settings of a platform's other services, and two social sign-in providers, one of them enabled. */
export function exampleSettings(deployment: Deployment, random: Random): SettingInput[] {
  const secret = (bytes: number): string => random.bytes(bytes).toString('base64url');
  const of = (category: string, settings: Record<string, string>, encrypted = false): SettingInput[] =>
    Object.entries(settings).map(([key, value]) => ({ key, value, category, encrypted }));
  const host = deployment === 'customer' ? 'example.com' : 'corp.example.com';
  return [
    ...of('mail', {
      'mail.from': `accounts@${host}`,
      'mail.host': `smtp.${host}`,
      'mail.port': '587',
      'mail.username': 'dashboard',
    }),
    ...of('mail', { 'mail.password': secret(18) }, true),
    ...of('billing', { 'billing.currency': 'EUR', 'billing.grace_days': '14' }),
    ...of('billing', { 'billing.webhook_secret': secret(24) }, true),
    ...of('features', { 'features.passkeys': 'true', 'features.new_checkout': 'false' }),
    ...of('support', { 'support.address': `help@${host}`, 'support.hours': 'Mo-Fr 08:00-18:00 Europe/Oslo' }),
    ...of('support', { 'support.ticket_api_key': secret(24) }, true),
    ...of('social', {
      'social.google.client_id': `${secret(9)}.apps.example.com`,
      'social.google.display_name': 'Google',
      'social.google.scopes': 'openid email profile',
      'social.google.enabled': 'true',
      'social.github.client_id': `Iv1.${secret(8)}`,
      'social.github.display_name': 'GitHub',
      'social.github.scopes': 'user:email',
      'social.github.enabled': 'false',
      'social.order': 'google,github',
    }),
    ...of('social', { 'social.google.client_secret': secret(24), 'social.github.client_secret': secret(24) }, true),
  ];
}

/** The same people in every new sandbox. */
const SEED = 20_260_101;
const MESSAGES_MAX = 150;
/** Enough to page through, without slowing down the creation of large sandboxes. */
const CONSENTS_MAX = 5000;

/** Adds the operators with extra roles, which may be enabled at any start; others that were deleted stay deleted. */
export function addExtraOperators({ identities, roles, timestamp }: SandboxParts): void {
  const missing = operatorsWith(roles.filter(isExtraRole)).filter(
    ({ email }) => !identities.findByIdentifier('password', email),
  );
  // Not of a fixed seed: another start may have used its ids for other operators.
  const random = randomFrom(randomInt(2 ** 32));
  for (const operator of operatorIdentities(missing, random, timestamp())) identities.insert(operator);
}

/**
 * Fills a new sandbox in one transaction; does nothing if it was filled before.
 * @param count how many people to create in addition to the operators
 * @returns settings that fit the new sandbox, for the dashboard's own database
 */
export function seedSandbox(
  parts: SandboxParts,
  count: number,
  onProgress?: SandboxOptions['onProgress'],
): readonly SettingInput[] {
  const { database, deployment, schemas, issuer, identities, sessions, courier, consents } = parts;
  if (database.prepare("SELECT 1 FROM installation WHERE name = 'seeded'").get() !== undefined) return [];
  const now = parts.now();
  const random = randomFrom(SEED);
  const operators = operatorIdentities(operatorsWith(rolesWith([])), random, new Date(now).toISOString());
  const clients = count === 0 ? [] : demoClients(random, now);
  const signedInTo = clients
    .map(({ document }) => document)
    .filter(({ grant_types }) => grant_types.includes('authorization_code'));
  database.transaction(() => {
    for (const operator of operators) identities.insert(operator);
    for (const client of clients) parts.clients.write(client);
    const recipients: Recipient[] = [];
    let granted = 0;
    let stored = 0;
    for (const person of people(count, schemas, random, now)) {
      identities.insert(person.identity);
      const signIns = [...sessionsOf(person, deployment, random, now)];
      for (const session of signIns) sessions.insert(session);
      const moments = granted < CONSENTS_MAX ? signIns.map(({ document }) => document.authenticated_at) : [];
      for (const consent of consentsOf(person, moments, signedInTo, issuer, random)) {
        consents.insert(consent);
        granted += 1;
      }
      const { phone } = person.identity.traits;
      const [address] = person.identity.verifiable_addresses;
      if (address && recipients.length < MESSAGES_MAX && random.chance(0.12))
        recipients.push({ address: address.value, phone: typeof phone === 'string' ? phone : undefined });
      stored += 1;
      if (stored % Math.ceil(count / 10) === 0) onProgress?.(stored, count);
    }
    for (const message of messages(recipients, random, now)) courier.insert(message);
    database.prepare("INSERT INTO installation (name, value) VALUES ('seeded', '1')").run();
  })();
  return count === 0 ? [] : exampleSettings(deployment, random);
}
