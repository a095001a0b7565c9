/** `unknown`: there is no evidence for either. */
export type PostureStatus = 'pass' | 'warn' | 'fail' | 'unknown';

export interface PostureCheck {
  id: string;
  title: string;
  status: PostureStatus;
  /** What was found. */
  detail: string;
  /** Why it matters. */
  why: string;
  /** What to do. */
  action: string;
}

/** `GET /api/security/posture` */
export interface Posture {
  as_of: string;
  checks: PostureCheck[];
}
