import { type Capability, can, type Role } from './capabilities.ts';

type Duty = readonly [words: string, ...needs: Capability[]];

/** What roles may do, in words: the Operators page and docs/operators.md show this. */
export const DUTIES: Record<string, readonly Duty[]> = {
  People: [
    ['See people and schemas', 'identities.read'],
    ['Activate and deactivate people', 'identities.state'],
    ['Send recovery links', 'identities.recover'],
    ['Delete second factors', 'second-factors.remove'],
    ['See sessions', 'sessions.read'],
    ['End sessions', 'sessions.end'],
    ['See messages, without subject and body', 'messages.read'],
    ['Read notes on people', 'notes.read'],
    ['Write notes on people', 'notes.write'],
    ['Read messages in full', 'upstreams.write'],
    ['Create, edit, export and delete people', 'upstreams.write'],
  ],
  Applications: [
    ['See clients and when they were last used', 'clients.read'],
    ['Create, edit and delete clients; introspect tokens', 'upstreams.write'],
    ['See consents', 'consents.read'],
    ['Revoke consents', 'consents.revoke'],
  ],
  Security: [
    ['See the sign-in log', 'sign-ins.read'],
    ['See a person’s timeline', 'timeline.read', 'operators.names'],
    ['See locked accounts', 'locks.read'],
    ['Unlock accounts', 'locks.write'],
    ['See the audit trail; export it and the sign-in log', 'audit.read'],
    ['See operators', 'operators.read'],
    ['End operators’ sessions and change their identities', 'operators.write'],
  ],
  Settings: [['See, decrypt and change settings', 'settings.read', 'settings.decrypt', 'settings.write']],
  System: [
    ['See statistics', 'statistics.read'],
    ['See the configuration and the security checks', 'configuration.read', 'posture.read'],
    ['See the state of services and where sessions are', 'services.read', 'session-locations.read', 'geo.read'],
  ],
};

export const hasDuty = (role: Role, [, ...needs]: Duty): boolean => needs.every((capability) => can(role, capability));
