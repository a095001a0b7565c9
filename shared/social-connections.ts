export interface SocialProvider {
  provider: string;
  display_name: string;
  enabled: true;
}

/** `GET /api/connections/social`, in display order. */
export interface SocialConnections {
  providers: SocialProvider[];
}

/** The stored fields of a provider, each in a setting of its own. */
export const SOCIAL_FIELDS = ['client_id', 'client_secret', 'display_name', 'scopes', 'enabled'] as const;
export type SocialField = (typeof SOCIAL_FIELDS)[number];

/** The setting with the order of the providers: comma-separated names. */
export const SOCIAL_ORDER = 'social.order';
export const SOCIAL_CATEGORY = 'social';

export const socialSetting = (provider: string, field: SocialField): string => `social.${provider}.${field}`;

/** Whether a text can be a provider's name. */
export const isProviderName = (name: string): boolean => /^[a-z0-9_-]{1,40}$/.test(name);
