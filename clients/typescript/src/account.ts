import { create } from "@bufbuild/protobuf";
import { type Client as Stub, createClient } from "@connectrpc/connect";
import * as accounts from "../gen/chautari/v1/accounts_pb.js";
import type { Asked, Connection, Repeatable } from "./connection.js";
import { uuid } from "./uuid.js";

/** The part of `Client` that looks after the caller's own account. */
export class OwnAccount {
  private readonly accounts: Stub<typeof accounts.Accounts>;

  protected constructor(protected readonly connection: Connection) {
    this.accounts = createClient(accounts.Accounts, connection.transport);
  }

  /** Makes a guest and signs in as it; with no name the server makes one up. */
  async signInAsGuest(name = "", asked: Asked = {}): Promise<accounts.Account> {
    const request = create(accounts.CreateGuestRequestSchema, { displayName: name });
    const answer = await this.connection.call(this.accounts.createGuest, request, { ...asked, signed: false });
    this.connection.tokens = answer.tokens;
    return answer.account ?? create(accounts.AccountSchema);
  }

  /** Signs in again with the refresh token of an earlier sign-in, which is spent by it. */
  async signIn(refreshToken: string, asked: Asked = {}): Promise<accounts.Account> {
    const request = create(accounts.RefreshTokenRequestSchema, { refreshToken });
    const answer = await this.connection.call(this.accounts.refreshToken, request, { ...asked, signed: false });
    this.connection.tokens = answer.tokens;
    return this.account();
  }

  /** What to keep, in a safe place, for `signIn`; it changes whenever tokens are renewed. Empty: nobody is in. */
  get refreshToken(): string {
    return this.connection.tokens?.refreshToken ?? "";
  }

  /** An account; one's own if no name is given. */
  account(name = "accounts/me", asked: Asked = {}): Promise<accounts.Account> {
    const request = create(accounts.GetAccountRequestSchema, { name });
    return this.connection.call(this.accounts.getAccount, request, asked);
  }

  /** Changes one's own name or language; what is left out stays. */
  updateAccount(changes: { displayName?: string; language?: string } & Repeatable): Promise<accounts.Account> {
    const { displayName, language } = changes;
    const paths = [
      ...(displayName === undefined ? [] : ["display_name"]),
      ...(language === undefined ? [] : ["language"]),
    ];
    const request = create(accounts.UpdateAccountRequestSchema, {
      account: { name: "accounts/me", displayName: displayName ?? "", language: language ?? "" },
      updateMask: { paths },
      requestId: changes.requestId ?? uuid(),
    });
    return this.connection.call(this.accounts.updateAccount, request, changes);
  }

  /** Ends this sign-in, or all of the account. */
  async signOut({ everywhere = false, ...asked }: Asked & { readonly everywhere?: boolean } = {}): Promise<void> {
    const request = create(accounts.SignOutRequestSchema, { refreshToken: this.refreshToken, everywhere });
    await this.connection.call(this.accounts.signOut, request, asked);
    this.connection.tokens = undefined;
  }
}
