"""The tables of the PostgreSQL ledger."""

from __future__ import annotations

from adjudge.errors import StoreError
from adjudge.records import Money
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.session import SCHEMA, Session

VERSION = 2
OWN_PURSE = 1
"""The number of a ledger's own purse."""
MAKING = 0x41444A47
"""The advisory lock for creating or upgrading the tables: `ADJG`."""

PLAN = """CREATE TABLE plan (
    run    text PRIMARY KEY,
    round  bigint NOT NULL,
    ended  boolean NOT NULL,
    wanted bytea,                       -- how many calls there are to be of each pair
    job    bytea                        -- what a process elsewhere needs to take part
)"""
"""Since version 2."""
_TABLES = (
    PLAN,
    """CREATE TABLE ledger (
    version   bigint NOT NULL,
    salt      bytea NOT NULL,
    total     bigint NOT NULL,          -- checksums of items, judges and notes
    amended   bigint NOT NULL,
    next_call bigint NOT NULL           -- numbers from here on belong to no lease yet
)""",
    """CREATE TABLE purse (
    id     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    parent bigint REFERENCES purse,     -- the shared purse of which this is a run's account
    name   text NOT NULL,
    budget bigint NOT NULL,
    spent  bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
    leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0),
    debt   bigint NOT NULL DEFAULT 0 CHECK (debt >= 0),
    CHECK (spent + leased <= budget),
    UNIQUE NULLS NOT DISTINCT (parent, name)
)""",
    """CREATE TABLE lease (
    id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- the epoch: never given twice
    purse     bigint NOT NULL REFERENCES purse,
    who       text NOT NULL,
    since     timestamptz NOT NULL DEFAULT clock_timestamp(),
    amount    bigint NOT NULL DEFAULT 0,
    spent     bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),    -- not yet in the purse's
    reserved  bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    calls     bigint NOT NULL DEFAULT 0 CHECK (calls >= 0),    -- under way
    total     bigint NOT NULL DEFAULT 0,                       -- checksums of its calls
    next_call bigint NOT NULL,                                 -- numbers it may still give
    last_call bigint NOT NULL,
    step      bigint NOT NULL DEFAULT 0,                       -- commits made by it
    strict    boolean NOT NULL,                                -- debts have to be paid first
    abandoned boolean NOT NULL DEFAULT false,                  -- its process has left
    closed    boolean NOT NULL DEFAULT false,
    CHECK (spent + reserved <= amount)
) WITH (fillfactor = 50)""",
    "CREATE INDEX open_lease ON lease (id) WHERE NOT closed",
    """CREATE TABLE item (
    id          bigint PRIMARY KEY,
    sum         bigint NOT NULL,
    fingerprint bytea NOT NULL UNIQUE,
    name        text NOT NULL
)""",
    """CREATE TABLE judge (
    id          bigint PRIMARY KEY,
    sum         bigint NOT NULL,
    fingerprint bytea NOT NULL UNIQUE,
    name        text NOT NULL
)""",
    # The columns are documented in the SQLite schema. Rows are settled by in-page updates: the
    # free space on each page keeps these from touching the indexes.
    """CREATE TABLE call (
    id             bigint PRIMARY KEY,
    sum            bigint NOT NULL,
    item           bigint NOT NULL,
    judge          bigint NOT NULL,
    phase          bigint NOT NULL,
    ordinal        bigint,
    state          bigint NOT NULL,
    reason         bigint,
    charged        bigint NOT NULL,
    charged_output bigint,
    score          float8,
    rest           bigint NOT NULL,
    owner          bigint NOT NULL,
    reserved       bigint NOT NULL,
    excess         bigint,
    prompt_tokens  bigint,
    cached_tokens  bigint,
    written_tokens bigint,
    output_tokens  bigint,
    at             bigint NOT NULL,
    text_sum       bigint,
    detail         text,
    UNIQUE (item, judge, phase, ordinal)
) WITH (fillfactor = 50)""",
    "CREATE INDEX call_of ON call USING brin (owner) WITH (pages_per_range = 16)",
    "CREATE INDEX debtor ON call (id) WHERE excess > 0",
    "CREATE TABLE answer (call bigint PRIMARY KEY, text text NOT NULL)",
    """CREATE TABLE note (
    id    bigint PRIMARY KEY,
    sum   bigint NOT NULL,
    kind  bigint NOT NULL,
    judge bigint,
    text  text NOT NULL,
    run   text NOT NULL,
    at    bigint NOT NULL,
    call  bigint NOT NULL
)""",
)


def has_ledger(session: Session) -> bool:
    """Whether the database has a ledger."""
    # Read from the catalogue: the lookup of a name may be cached as missing.
    found = session.execute(
        "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = ? AND tablename = 'ledger'",
        (SCHEMA,),
    )
    return found.fetchone() is not None


def create_tables(session: Session, budget: Money, salt: bytes) -> None:
    """Create the ledger within the open transaction, unless another process has just done so."""
    session.execute("SELECT pg_advisory_xact_lock(?)", (MAKING,))
    if has_ledger(session):
        return
    session.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    for statement in _TABLES:
        session.execute(statement)
    session.execute("INSERT INTO ledger VALUES (?, ?, 0, 0, 1)", (VERSION, salt))
    session.execute("INSERT INTO purse (name, budget) VALUES ('', ?)", (budget,))


def check_version(session: Session, address: PostgresAddress) -> None:
    """Raise StoreError if the ledger has another version."""
    (version,) = session.execute("SELECT version FROM ledger").fetchone()
    if version > VERSION:
        raise StoreError(
            f"{address}: was written by a newer adjudge (format {version}, this one knows up to "
            f"{VERSION}); install that version"
        )
    if version < VERSION:
        raise StoreError(
            f"{address}: is in an older format ({version}, this adjudge writes {VERSION}); end the "
            f"runs that use it and bring it up to date with: adjudge ledger upgrade {address}"
        )
