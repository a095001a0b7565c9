import { normalised } from './identity-document.ts';

export interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
}

/** An identity schema and the name it is known by. */
export interface IdentitySchema {
  id: string;
  schema: JsonSchema;
}

/** What the schema's `ory.sh/kratos` keywords take from the traits, normalised and without repetition. */
export interface Derived {
  passwordIdentifiers: string[];
  codeIdentifiers: string[];
  verifiable: string[];
  recovery: string[];
}

interface Extension {
  credentials?: { password?: { identifier?: boolean }; code?: { identifier?: boolean } };
  verification?: { via?: string };
  recovery?: { via?: string };
}

export function deriveFromTraits(schema: JsonSchema, traits: Record<string, unknown>): Derived {
  const found = {
    password: new Set<string>(),
    code: new Set<string>(),
    verify: new Set<string>(),
    recover: new Set<string>(),
  };
  const visit = (part: JsonSchema | undefined, value: unknown): void => {
    if (part === undefined || value === undefined) return;
    const extension = part['ory.sh/kratos'] as Extension | undefined;
    if (extension !== undefined && typeof value === 'string' && value !== '') {
      if (extension.credentials?.password?.identifier) found.password.add(normalised(value));
      if (extension.credentials?.code?.identifier) found.code.add(normalised(value));
      if (extension.verification?.via === 'email') found.verify.add(normalised(value));
      if (extension.recovery?.via === 'email') found.recover.add(normalised(value));
    }
    if (Array.isArray(value)) for (const item of value) visit(part.items as JsonSchema | undefined, item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) visit(part.properties?.[name], member);
  };
  visit(schema.properties?.traits, traits);
  return {
    passwordIdentifiers: [...found.password],
    codeIdentifiers: [...found.code],
    verifiable: [...found.verify],
    recovery: [...found.recover],
  };
}
