"""Django settings: apps, middleware, logins, limits. What an operator may set is in ``env.py``."""

import os
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent
ENVIRONMENT = env.read(os.environ)

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)

# Which pages this process answers. Tables, static files and translations are the same in each role.
ROLE = ENVIRONMENT.role
HAS_STAFF_PAGES = ROLE in {"all", "staff"}
HAS_RESPONDENT_PAGES = ROLE in {"all", "web"}

INSTALLED_APPS = [
    # Looking for what it shows loads authors' pages, with libraries that other roles need not have.
    "django.contrib.admin" if HAS_STAFF_PAGES else "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_tasks",
    "django_tasks_db",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "surveys",
    "ranking",
    "analytics",
]

# What adds the same headers to every page.
MIDDLEWARE_FOR_HEADERS = [
    "surveys.web.requests.PolicyMiddleware",
    "surveys.web.requests.PrivacyHeadersMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
RESPONDENT_URLS = "surveys.collecting.urls"
MIDDLEWARE = [
    # Above the redirect to HTTPS, which would show a token once more, and respondents' pages.
    "surveys.programs.routing.shown.ShownTokensMiddleware",
    "django.middleware.security.SecurityMiddleware",
    # Answers respondents, with those headers; what stands below is for all others.
    *(["surveys.web.respondents.RespondentMiddleware"] if HAS_RESPONDENT_PAGES else []),
    *MIDDLEWARE_FOR_HEADERS,
    "surveys.web.requests.RefuseNulMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Below static files, which open pages still need; above all that reads the database.
    "surveys.web.upkeep.maintenance.MaintenanceMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "surveys.web.languages.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

# The worker serves none; its commands name addresses of respondents.
ROOT_URLCONF = "config.urls" if HAS_STAFF_PAGES else "config.respondent_urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {"default": dj_database_url.parse(ENVIRONMENT.database_url, conn_max_age=60)}
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# A pooler may give the next fetch to another connection, which does not know the cursor.
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = ENVIRONMENT.database_pooled
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # Writers queue at BEGIN instead of failing half-way through a transaction.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"
        ),
    }
# Outside the database, so that neither it nor a backup can read what waits for its batch.
BATCH_KEYS_DIR = ENVIRONMENT.batch_keys_dir
# Likewise, for the process alone that opens what is sealed.
OPENING_KEYS_DIR = ENVIRONMENT.opening_keys_dir
RECOVERY_KEY = ENVIRONMENT.recovery_key
# Files of all answers of a large survey, for a day. Several servers share the directory.
EXPORTS_DIR = ENVIRONMENT.exports_dir
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Staff accounts: a name, a password and a second factor. No sign-up, no e-mail.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    f"django.contrib.auth.hashers.{name}"
    # Others are read, and replaced by the first when their owner logs in.
    for name in ("Argon2PasswordHasher", "PBKDF2PasswordHasher")
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in {
        "UserAttributeSimilarityValidator": {},
        "MinimumLengthValidator": {"min_length": 12},
        "CommonPasswordValidator": {},
    }.items()
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "surveys:list"
LOGOUT_REDIRECT_URL = "login"
if HAS_STAFF_PAGES:  # they load what reads security keys; without pages there is no login
    ACCOUNT_ADAPTER = "surveys.staff.login.AccountAdapter"
    MFA_ADAPTER = "surveys.staff.login.FactorAdapter"
ACCOUNT_FORMS = {"login": "surveys.staff.login.NameForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]  # what logging in needs; sign-up is closed
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 5 * 60
ACCOUNT_RATE_LIMITS = {"login": "60/m/ip", "login_failed": "10/m/ip,5/5m/key"}
MFA_FORMS = {
    "authenticate": "surveys.staff.login.CodeForm",
    "reauthenticate": "surveys.staff.login.ConfirmCodeForm",
    "authenticate_webauthn": "surveys.staff.login.KeyForm",
    "reauthenticate_webauthn": "surveys.staff.login.ConfirmKeyForm",
    "add_webauthn": "surveys.staff.login.NewKeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Deniable"
# Typing takes time and telephones go wrong by seconds; RFC 6238, 5.2, allows one period for that.
MFA_TOTP_TOLERANCE = 1
REQUIRE_MFA = ENVIRONMENT.require_mfa
# Attempts are counted in memory, each process for itself: an address must never reach a disk.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

LANGUAGE_CODE = "en"
# Each in its own words. Codes have two letters, so that all addresses are equally long.
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
    ("ar", "العربية"),
]
STAFF_LANGUAGES = LANGUAGES[:2]
# The last has sentences that stored reports keep, and that have other words by now.
LOCALE_PATHS = [BASE_DIR / "locale" / name for name in ("respondents", "staff", "earlier")]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

# While it is there every page answers 503; `manage.py maintenance` makes and removes it.
MAINTENANCE_FILE = ENVIRONMENT.data_dir / "maintenance"

STATIC_URL = "/static/"
STATIC_ROOT = ENVIRONMENT.data_dir / "static"
DOCUMENTATION = ENVIRONMENT.data_dir / "documentation"  # once `manage.py documentation` built it
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "surveys.web.static_files.HashedStaticFiles"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False

if ENVIRONMENT.mail_server:
    EMAIL_HOST, EMAIL_PORT = ENVIRONMENT.mail_server.host, ENVIRONMENT.mail_server.port
    EMAIL_HOST_USER = ENVIRONMENT.mail_server.user
    EMAIL_HOST_PASSWORD = ENVIRONMENT.mail_server.password
    EMAIL_USE_TLS = ENVIRONMENT.mail_server.starttls
    EMAIL_USE_SSL = ENVIRONMENT.mail_server.implicit_tls
else:
    EMAIL_HOST = ""  # sending fails and says so; nothing only seems to be sent
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENVIRONMENT.mail_from
MAILS_PER_MINUTE = ENVIRONMENT.mails_per_minute  # on average
# Work that outlasts a request; `manage.py db_worker --queue-name QUEUE` does it. Reports on texts
# take minutes; mail, counts and files have a queue that does not wait behind them.
QUEUES = ["default", "reports"]
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": QUEUES}}
# Where reports on text are counted by several machines; None: by this process.
DASK_SCHEDULER = ENVIRONMENT.dask_scheduler
# An uploaded list of addresses stays in memory: it must not be left behind in a temporary file.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024

SOURCE_URL = ENVIRONMENT.source_url
# How many submissions one network may send to one survey in an hour without work; 0 is no limit.
SUBMISSIONS_PER_HOUR = ENVIRONMENT.submissions_per_hour
BEHIND_PROXY = ENVIRONMENT.behind_proxy
# How many requests a minute a program may send with one token.
API_RATE = ENVIRONMENT.api_rate

# A submission is a few hundred bytes; the admin's largest form is far below this.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

SECURE_REFERRER_POLICY = "same-origin"  # "no-referrer" would make a form post send Origin: null
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 12 * 3600  # at most; the cookie also ends with the browser
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # no third cookie
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "surveys.staff.interruptions.expired_form"
if ENVIRONMENT.https:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
    SECURE_SSL_REDIRECT = True
    # A program would send its token twice, the first time for all to read: it is refused instead.
    SECURE_REDIRECT_EXEMPT = ["^api/"]
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    # Names below the site may be served by others, without HTTPS: their owner has to say so.
    SECURE_HSTS_INCLUDE_SUBDOMAINS = ENVIRONMENT.hsts in {"subdomains", "preload"}
    SECURE_HSTS_PRELOAD = ENVIRONMENT.hsts == "preload"
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # they ask for just these two
if ENVIRONMENT.behind_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
    },
}

# Without mail to administrators: its subject would carry addresses of pages.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"allow_list": {"()": "config.logs.AllowList"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "allow_list"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        # A refused request is no failure of ours, and its line would say when a person came.
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "CRITICAL"},
        "django.security.DisallowedHost": {"level": "ERROR"},  # ours if ALLOWED_HOSTS is wrong
        "django.security.csrf": {"level": "WARNING"},
    },
}
if not DEBUG:
    DEFAULT_EXCEPTION_REPORTER = "config.logs.ErrorReport"
