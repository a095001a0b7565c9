import type { Deployment } from '../../../shared/deployment.ts';
import type { SettingInput } from '../../../shared/settings.ts';
import type { Random } from './random.ts';

/** Invented settings, as other services of a platform read them, and two sign-in providers, one of them offered. */
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
