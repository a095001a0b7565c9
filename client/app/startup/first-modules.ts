/**
 * What each page of the navigation begins with, by its address: modules relative to `client/`. The service names their
 * files in the page that it sends, so that the browser asks for them at once, not when the app has found out where it is.
 */
export const FIRST_MODULES: Readonly<Record<string, readonly string[]>> = {
  '/dashboard': ['features/overview/overview-page.tsx'],
  '/identities': ['features/identities/list/identities-page.tsx'],
  '/sessions': ['features/sessions/list/sessions-page.tsx'],
  '/oauth/clients': ['features/oauth-clients/list/clients-page.tsx'],
  '/oauth/consents': ['features/consents/consents-page.tsx'],
  '/oauth/introspect': ['features/introspect/introspect-page.tsx'],
  '/messages': ['features/messages/list/messages-page.tsx'],
  '/schemas': ['features/schemas/list/schemas-page.tsx'],
  '/connections': ['features/connections/connections-page.tsx'],
  '/settings': ['features/settings/settings-page.tsx'],
  '/security': ['features/security/security-page.tsx', 'features/security/posture/posture-page.tsx'],
  '/system': ['features/system/system-page.tsx'],
};
