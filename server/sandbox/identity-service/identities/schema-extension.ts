import { normalised } from './identity-document.ts';

export interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
}

export interface IdentitySchema {
  id: string;
  schema: JsonSchema;
}

/** What the schema's `ory.sh/kratos` keywords derive from the traits, normalised and without duplicates. */
export interface Derived {
  /** By credential type; a type named by the schema is present for everyone, used or not. */
  identifiers: Record<IdentifierType, string[]>;
  verifiable: string[];
  recovery: string[];
}

/** Credential types whose identifiers are traits. */
export const IDENTIFIER_TYPES = ['password', 'code', 'webauthn'] as const;
type IdentifierType = (typeof IDENTIFIER_TYPES)[number];

interface Extension {
  credentials?: Partial<Record<IdentifierType, { identifier?: boolean }>>;
  verification?: { via?: string };
  recovery?: { via?: string };
}

export function deriveFromTraits(schema: JsonSchema, traits: Record<string, unknown>): Derived {
  const identifiers = { password: new Set<string>(), code: new Set<string>(), webauthn: new Set<string>() };
  const [verifiable, recovery] = [new Set<string>(), new Set<string>()];
  const visit = (part: JsonSchema | undefined, value: unknown): void => {
    if (part === undefined || value === undefined) return;
    const extension = part['ory.sh/kratos'] as Extension | undefined;
    if (extension !== undefined && typeof value === 'string' && value !== '') {
      for (const type of IDENTIFIER_TYPES)
        if (extension.credentials?.[type]?.identifier) identifiers[type].add(normalised(value));
      if (extension.verification?.via === 'email') verifiable.add(normalised(value));
      if (extension.recovery?.via === 'email') recovery.add(normalised(value));
    }
    if (Array.isArray(value)) for (const item of value) visit(part.items as JsonSchema | undefined, item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) visit(part.properties?.[name], member);
  };
  visit(schema.properties?.traits, traits);
  const { password, code, webauthn } = identifiers;
  return {
    identifiers: { password: [...password], code: [...code], webauthn: [...webauthn] },
    verifiable: [...verifiable],
    recovery: [...recovery],
  };
}
